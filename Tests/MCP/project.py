# A project with workflows, clients of servers in it, and servers whose messages a check writes itself.

import json
import os
import subprocess

from mcp import Client, StdioServerParameters

SECRET = "correct-horse-battery"


class Project:
    """A folder with workflows, and servers in it."""

    def __init__(self, reprise, folder):
        self.reprise, self.folder = reprise, folder
        os.makedirs(os.path.join(folder, "workflows"))
        # The state is that of this folder, however the campaign was started.
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith("REPRISE_")} | {"TOKEN": SECRET}

    def write(self, name, text):
        """Writes a file of the project."""
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def client(self, *arguments, mode="auto"):
        """A client of a server that is started for it."""
        return Client(
            StdioServerParameters(
                command=self.reprise, args=["mcp", *arguments], cwd=self.folder,
                env=self.environment),
            mode=mode, read_timeout_seconds=60)

    def start(self, *arguments):
        """A server whose messages a check writes itself."""
        return subprocess.Popen(
            [self.reprise, "mcp", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, cwd=self.folder, env=self.environment)

    def exchange(self, *lines, arguments=()):
        """The answers of a server to lines, by id; it must end with 0 at their end."""
        with self.start(*arguments) as server:
            output, errors = server.communicate(
                b"".join(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n"
                         for line in lines), timeout=60)
        assert server.returncode == 0 and errors == b"", (server.returncode, errors)
        return [json.loads(line) for line in output.splitlines()]

    def command(self, *arguments):
        """The output of another command in the project."""
        return subprocess.run(
            [self.reprise, *arguments], cwd=self.folder, env=self.environment, timeout=60,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True).stdout.decode()

    def end(self):
        """Cancels what a failed check has left: runs go on without their server."""
        if os.path.exists(os.path.join(self.folder, ".reprise")):
            for run in map(json.loads, self.command("runs", "--json").splitlines()):
                if run["status"] in ("queued", "running"):
                    self.command("cancel", run["id"], "--now", "--wait")


async def use(client, tool, **arguments):
    """Calls a tool, which must succeed; returns its structured content and its text."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    return result.structured_content, result.content[0].text


async def refused(client, tool, **arguments):
    """Calls a tool, which must refuse; returns its text."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result
    return result.content[0].text


def request(number, method, **params):
    """A request as the client would write it."""
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
