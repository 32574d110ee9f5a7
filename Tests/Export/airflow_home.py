# Airflow in a temporary folder: its database, and runs of exported DAGs.

import json
import os
import sqlite3
import subprocess
import sys
import sysconfig


class Airflow:
    """An installation whose files are all below one folder."""

    def __init__(self, folder, secrets):
        self.folder = folder
        self.dags = os.path.join(folder, "dags")
        os.makedirs(self.dags)
        home = os.path.join(folder, "home")
        self.database = os.path.join(home, "airflow.db")
        inherited = {name: value for name, value in os.environ.items()
                     if not name.startswith("AIRFLOW")}
        self.environment = inherited | {
            "AIRFLOW_HOME": home, "HOME": home,
            "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
            "AIRFLOW__CORE__DAGS_FOLDER": self.dags,
            "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{self.database}",
            "AIRFLOW__LOGGING__BASE_LOG_FOLDER": os.path.join(home, "logs"),
        }
        for name, value in secrets.items():
            connection = json.dumps({"conn_type": "generic", "password": value})
            self.environment[f"AIRFLOW_CONN_{name.upper()}"] = connection
        os.makedirs(home)
        self.succeed("db", "migrate")

    def run(self, *arguments, timeout=300):
        """Runs the command airflow; returns its status and its output."""
        program = os.path.join(sysconfig.get_path("scripts"), "airflow")
        ended = subprocess.run(
            [sys.executable, program, *arguments], env=self.environment, cwd=self.folder,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=timeout, check=False)
        return ended.returncode, ended.stdout.decode(errors="replace")

    def succeed(self, *arguments):
        """Runs the command airflow, which must succeed; returns its output."""
        status, output = self.run(*arguments)
        assert status == 0, f"airflow {' '.join(arguments)}: {status}\n{output[-4000:]}"
        return output

    def python(self, code):
        """Runs Python code with this Airflow; returns its standard output."""
        ended = subprocess.run(
            [sys.executable, "-c", code], env=self.environment, cwd=self.folder,
            capture_output=True, text=True, timeout=300, check=False)
        assert ended.returncode == 0, ended.stderr[-4000:]
        return ended.stdout

    def test(self, dag_id, file):
        """Runs a DAG; returns whether it succeeded, the states of its tasks, and the output."""
        status, output = self.run("dags", "test", dag_id, "--dagfile-path", file)
        assert status == 0 or "DagRun failed" in output, output[-4000:]
        return status == 0, self.states(dag_id), output

    def test_all(self, files):
        """Runs several DAGs, by id, in one process, which takes much less time.

        Returns the ids of those that succeeded, and the output.
        """
        code = f"""
from airflow.cli.cli_parser import get_parser
for dag, file in {sorted(files.items())!r}:
    given = get_parser().parse_args(["dags", "test", dag, "--dagfile-path", file])
    try:
        given.func(given)
        print("\\nSUCCEEDED", dag, flush=True)
    except SystemExit as end:
        assert "DagRun failed" in str(end.code), end
"""
        ended = subprocess.run(
            [sys.executable, "-c", code], env=self.environment, cwd=self.folder, check=False,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=1800)
        output = ended.stdout.decode(errors="replace")
        assert ended.returncode == 0, output[-4000:]
        return {line.split()[1] for line in output.splitlines() if line.startswith("SUCCEEDED ")}, output

    def states(self, dag_id):
        """The states of the tasks of a DAG."""
        database = sqlite3.connect(self.database)
        states = dict(database.execute(
            "select task_id, state from task_instance where dag_id = ?", [dag_id]))
        database.close()
        return states

    def values(self, dag_id):
        """The XCom values of the tasks of a DAG, by task and key."""
        database = sqlite3.connect(self.database)
        found = {}
        for task, key, value in database.execute(
                "select task_id, key, value from xcom where dag_id = ?", [dag_id]):
            found.setdefault(task, {})[key] = decoded(value)
        database.close()
        return found


def decoded(value):
    """A value of an XCom, which is a text of JSON in a column of JSON."""
    while isinstance(value, (str, bytes)):
        try:
            value = json.loads(value)
        except ValueError:
            break
    return value
