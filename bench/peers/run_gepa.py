"""Trains on one simulated world with GEPA from PyPI: run_gepa.py job.json

What this file adds, and why it is fair:

- An adapter over GEPA's public interface: the skill is the one component of the candidate. A task is one call of the target;
  the score is 1 for an exact match of the text in <answer> and 0 otherwise. The feedback says what was expected and what
  was answered, as every trainer here is told.
- Threads for the calls of one evaluation, as many as every other trainer has. GEPA's own adapter does the same.
- A plain HTTP client, because GEPA's own one needs LiteLLM, which would cost time and change nothing.
- Settings. All are GEPA's defaults but for the seed and max_metric_calls, the budget that GEPA cannot do without.
- A note to the server whenever the best candidate on the validation tasks changes, from GEPA's own callback.
"""

import http.client
import json
import re
import sys
import threading
import urllib.parse
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version

import gepa
from gepa.core.adapter import EvaluationBatch


class Client:
    """One connection a thread, kept open."""

    def __init__(self, base_url):
        address = urllib.parse.urlsplit(base_url)
        self.host = address.hostname
        self.port = address.port
        self.local = threading.local()

    def post(self, path, body):
        connection = getattr(self.local, "connection", None)
        if connection is None:
            connection = self.local.connection = http.client.HTTPConnection(self.host, self.port, timeout=120)
        connection.request("POST", path, json.dumps(body), {"content-type": "application/json"})
        response = connection.getresponse()
        text = response.read()
        if response.status != 200:
            raise RuntimeError(f"The server replied {response.status}: {text.decode()}")
        return json.loads(text)

    def chat(self, model, messages):
        reply = self.post("/v1/chat/completions", {"model": model, "messages": messages})
        return reply["choices"][0]["message"]["content"]


class WorldAdapter:
    propose_new_texts = None

    def __init__(self, job, client):
        self.instructions = job["instructions"]
        self.client = client
        self.pool = ThreadPoolExecutor(max_workers=job["concurrency"])

    def evaluate(self, batch, candidate, capture_traces=False):
        trajectories = list(self.pool.map(lambda task: self.attempt(task, candidate["skill"]), batch))
        return EvaluationBatch(
            outputs=[{"reply": trajectory["reply"]} for trajectory in trajectories],
            scores=[trajectory["score"] for trajectory in trajectories],
            trajectories=trajectories if capture_traces else None,
        )

    def attempt(self, task, skill):
        messages = [
            {"role": "system", "content": f"{skill.strip()}\n\n{self.instructions}"},
            {"role": "user", "content": task["question"]},
        ]
        reply = self.client.chat("target", messages)
        found = re.search(r"<answer>(.*?)</answer>", reply, re.DOTALL)
        answer = found.group(1).strip() if found else ""
        passed = answer == task["answer"]
        return {
            "question": task["question"],
            "reply": reply,
            "score": float(passed),
            "feedback": "Right." if passed else f"Wrong answer: expected {task['answer']}, got {answer}.",
        }

    def make_reflective_dataset(self, candidate, eval_batch, components_to_update):
        records = [
            {
                "Inputs": trajectory["question"],
                "Generated Outputs": trajectory["reply"],
                "Feedback": trajectory["feedback"],
            }
            for trajectory in eval_batch.trajectories
        ]
        return {name: records for name in components_to_update}


class BestReporter:
    def __init__(self, client):
        self.client = client

    def on_valset_evaluated(self, event):
        if event["is_best_program"]:
            self.client.post("/note", {"skill": event["candidate"]["skill"]})


def main(path):
    with open(path) as file:
        job = json.load(file)
    client = Client(job["baseUrl"])
    result = gepa.optimize(
        seed_candidate={"skill": job["seedSkill"]},
        trainset=job["tasks"]["train"],
        valset=job["tasks"]["val"],
        adapter=WorldAdapter(job, client),
        reflection_lm=lambda prompt: client.chat("optimizer", [{"role": "user", "content": prompt}]),
        max_metric_calls=job["budget"],
        callbacks=[BestReporter(client)],
        seed=job["seed"],
    )
    with open(job["result"], "w") as file:
        json.dump(
            {
                "skill": result.best_candidate["skill"],
                "metricCalls": result.total_metric_calls,
                "version": version("gepa"),
                "details": {"candidates": len(result.candidates)},
            },
            file,
        )


main(sys.argv[1])
