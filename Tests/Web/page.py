# A page that is being served, and requests to it, also such as no browser would send.

import http.client
import json
import re
import socket
import urllib.parse

PATIENCE = 30


class Answer:
    """An answer of the server."""

    def __init__(self, status, fields, body):
        self.status, self.fields, self.body = status, fields, body

    def __repr__(self):
        return f"{self.status} {self.body[:300]!r}"

    @property
    def json(self):
        return json.loads(self.body)

    def field(self, name):
        return next((value for key, value in self.fields if key.lower() == name.lower()), None)


class Page:
    """A page that is being served."""

    def __init__(self, process, url):
        self.process, self.url = process, url
        parsed = urllib.parse.urlparse(url)
        self.port = parsed.port
        self.token = re.search(r"token=([0-9a-f]{64})$", parsed.fragment)[1]
        self.origin = f"http://127.0.0.1:{self.port}"
        self.host = f"127.0.0.1:{self.port}"
        self.key = None

    def request(self, method, path, body=None, fields=None, host="127.0.0.1"):
        """Sends a request with exactly these fields, besides Host."""
        connection = http.client.HTTPConnection(host, self.port, timeout=PATIENCE)
        try:
            connection.putrequest(method, path, skip_host="Host" in (fields or {}),
                                  skip_accept_encoding=True)
            for name, value in (fields or {}).items():
                if value is not None:
                    connection.putheader(name, value)
            data = body.encode() if isinstance(body, str) else body
            if data is not None and "Content-Length" not in (fields or {}):
                connection.putheader("Content-Length", str(len(data)))
            connection.endheaders(data)
            answer = connection.getresponse()
            return Answer(answer.status, answer.getheaders(), answer.read())
        finally:
            connection.close()

    def connect(self):
        """Opens a connection that sends nothing yet."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def raw(self, text, patience=5):
        """Sends bytes; returns what comes back, up to the first complete answer or the end."""
        answer = b""
        with socket.create_connection(("127.0.0.1", self.port), timeout=patience) as connection:
            try:
                connection.sendall(text if isinstance(text, bytes) else text.encode())
                while not is_complete(answer):
                    data = connection.recv(65536)
                    if not data:
                        break
                    answer += data
            except (ConnectionError, socket.timeout):
                pass
        return answer

    def head(self, line, *fields, key=True):
        """The head of a request, to be sent as it is."""
        more = [f"Host: {self.host}"] + ([f"X-Reprise: {self.key}"] if key else [])
        return "\r\n".join([line, *more, *fields, "", ""])

    # Requests as the page sends them

    def session(self, token=None):
        """Trades the token for the session."""
        answer = self.request("POST", "/api/session", json.dumps({"token": token or self.token}),
                              self.change_fields(key="none"))
        if answer.status == 200:
            self.key = answer.json["session"]
        return answer

    def change_fields(self, **other):
        """The fields of a change, some of them replaced, or left out if they are None."""
        fields = {"Origin": self.origin, "X-Reprise": self.key, "Content-Type": "application/json"}
        names = {"origin": "Origin", "key": "X-Reprise", "type": "Content-Type"}
        for name, value in other.items():
            fields[names[name]] = value
        return fields

    def get(self, path):
        return self.request("GET", path, fields={"X-Reprise": self.key})

    def read(self, path):
        """Reads a document that must be there."""
        answer = self.get(path)
        if answer.status != 200:
            raise AssertionError(f"expected: 200 for {path}\n    seen: {answer}")
        return answer.json

    def post(self, path, body):
        return self.request("POST", path, json.dumps(body), self.change_fields())

    def change(self, path, body):
        """Makes a change that must be accepted."""
        answer = self.post(path, body)
        if answer.status != 200:
            raise AssertionError(f"expected: 200 for {path} {body}\n    seen: {answer}")
        return answer.json

    def messages(self, path, last_id=None):
        """The messages of the stream, as (event, id, data), until the connection ends."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        fields = {"X-Reprise": self.key}
        if last_id:
            fields["Last-Event-ID"] = last_id
        try:
            connection.request("GET", path, headers=fields)
            answer = connection.getresponse()
            if answer.status != 200:
                raise AssertionError(f"expected: 200 for {path}\n    seen: {answer.status}")
            fields = {}
            for line in answer:
                line = line.decode().rstrip("\n")
                if not line and "event" in fields:
                    yield fields["event"], fields.get("id"), json.loads(fields["data"])
                    fields = {}
                elif line and not line.startswith(":"):
                    name, value = line.split(": ", 1)
                    fields[name] = value
        finally:
            connection.close()


def is_complete(answer):
    """Whether bytes are a whole answer with a Content-Length."""
    head, mark, body = answer.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
    return bool(mark and length and len(body) >= int(length[1]))


def status_of(answer):
    """The status of the bytes of an answer; None if there is none."""
    found = re.match(rb"HTTP/1\.1 (\d{3}) ", answer)
    return int(found[1]) if found else None
