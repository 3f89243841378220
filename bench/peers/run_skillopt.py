"""Trains on one simulated world with the Python SkillOpt from PyPI: run_skillopt.py job.json

What this file adds, and why it is fair:

- An environment and a data loader over SkillOpt's public base classes. A task is one call of the target through SkillOpt's
  own client; the hard score is the exact match of the text in <answer>. Trajectories hold the question, the reply and the
  expected answer, once each: the least number of tokens with all the evidence.
- Prompts. The wheel of 0.2.0 has no prompt files, so that it stops at its first reflection. Where a file is missing, the
  prompt of the same stage of the trainer in this repository takes its place: about as long, with the same JSON contract. The
  simulated optimizer reads the evidence and not the instructions, so results do not depend on them. Where the files are
  there, they are used.
- Settings. All are SkillOpt's defaults (configs/_base_/default.yaml of its repository; the wheel has no configs either), but
  for the number of workers, which is the same for every trainer. Mode "gated" is the option slow_update_gate_with_selection.
- An empty test split. The final test costs nothing and teaches nothing, and the final validation of the last skill, which is
  part of the same option, still takes place.
- A note to the server whenever best_skill.md changes. It is sent after the fact and changes nothing.
"""

import json
import os
import re
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version

from skillopt import prompts
from skillopt.datasets.base import SplitDataLoader
from skillopt.engine import trainer
from skillopt.envs.base import EnvAdapter
from skillopt.model import chat_target


class WorldLoader(SplitDataLoader):
    def __init__(self, tasks):
        super().__init__(split_mode="split_dir", split_dir="-")
        self._tasks = tasks

    def setup(self, cfg):
        self._splits = {"train": self._tasks["train"], "val": self._tasks["val"], "test": []}


class WorldEnvironment(EnvAdapter):
    def __init__(self, job):
        self.job = job
        self.analyst_workers = job["concurrency"]
        self.failure_only = False
        self.minibatch_size = 8
        self.edit_budget = 4
        self.attempts = 0
        self.loader = WorldLoader(job["tasks"])

    def setup(self, cfg):
        super().setup(cfg)
        self.loader.setup(cfg)

    def get_dataloader(self):
        return self.loader

    def build_env_from_batch(self, batch, **kwargs):
        return list(batch.payload or [])

    def build_train_env(self, batch_size, seed, **kwargs):
        return self.build_env_from_batch(self.loader.build_train_batch(batch_size, seed))

    def build_eval_env(self, env_num, split, seed, **kwargs):
        return self.build_env_from_batch(self.loader.build_eval_batch(env_num, split, seed))

    def get_task_types(self):
        return sorted({task["type"] for task in self.job["tasks"]["train"]})

    def rollout(self, env_manager, skill_content, out_dir, **kwargs):
        with ThreadPoolExecutor(max_workers=self.job["concurrency"]) as pool:
            results = list(pool.map(lambda task: self.attempt(task, skill_content, out_dir), env_manager))
        self.attempts += len(results)
        return results

    def attempt(self, task, skill, out_dir):
        reply, _ = chat_target(
            system=f"{skill.strip()}\n\n{self.job['instructions']}",
            user=task["question"],
            stage="rollout",
        )
        found = re.search(r"<answer>(.*?)</answer>", reply, re.DOTALL)
        answer = found.group(1).strip() if found else ""
        passed = answer == task["answer"]
        folder = os.path.join(out_dir, "predictions", task["id"])
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "conversation.json"), "w") as file:
            json.dump([{"role": "assistant", "content": reply}], file)
        return {
            "id": task["id"],
            "question": task["question"],
            "task_description": task["question"],
            "task_type": task["type"],
            "hard": int(passed),
            "soft": float(passed),
            "predicted_answer": answer,
            "fail_reason": "" if passed else f"wrong answer: expected {task['answer']}, got {answer}",
            "n_turns": 1,
        }


def fill_missing_prompts(texts):
    """SkillOpt looks into this cache before it looks for a file."""
    for name, text in texts.items():
        path = os.path.join(os.path.dirname(os.path.abspath(prompts.__file__)), f"{name}.md")
        if not os.path.exists(path):
            prompts._cache[path] = text


def report_best_skills(job, folder):
    """SkillOpt saves its state right after best_skill.md, every time."""
    save = trainer._save_runtime_state
    last = [None]

    def save_and_report(out_root, state):
        save(out_root, state)
        skill = read_best(job, folder)
        if skill != last[0]:
            last[0] = skill
            post(job["noteUrl"], {"skill": skill})

    trainer._save_runtime_state = save_and_report


def read_best(job, folder):
    path = os.path.join(folder, "best_skill.md")
    if not os.path.exists(path):
        return job["seedSkill"]
    with open(path) as file:
        return file.read()


def post(url, body):
    data = json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json"})
    urllib.request.urlopen(request, timeout=60).read()


def main(path):
    with open(path) as file:
        job = json.load(file)
    folder = os.path.join(job["folder"], "run")
    seed_path = os.path.join(job["folder"], "seed.md")
    with open(seed_path, "w") as file:
        file.write(job["seedSkill"])
    fill_missing_prompts(job["prompts"])
    report_best_skills(job, folder)
    environment = WorldEnvironment(job)
    settings = {
        "out_root": folder,
        "skill_init": seed_path,
        "env": "world",
        "model_backend": "azure_openai",
        "optimizer_backend": "openai_chat",
        "target_backend": "openai_chat",
        "azure_openai_auth_mode": "openai_compatible",
        "azure_openai_endpoint": job["baseUrl"],
        "azure_openai_api_key": "simulated",
        "optimizer_model": "optimizer",
        "target_model": "target",
        "reasoning_effort": "medium",
        "num_epochs": 4,
        "batch_size": 40,
        "accumulation": 1,
        "seed": job["seed"],
        "minibatch_size": environment.minibatch_size,
        "merge_batch_size": 8,
        "analyst_workers": job["concurrency"],
        "failure_only": False,
        "edit_budget": environment.edit_budget,
        "min_edit_budget": 2,
        "lr_scheduler": "cosine",
        "lr_control_mode": "fixed",
        "skill_update_mode": "patch",
        "use_slow_update": True,
        "slow_update_samples": 20,
        "slow_update_gate_with_selection": job["mode"] == "gated",
        "longitudinal_pair_policy": "mixed",
        "use_meta_skill": True,
        "use_skill_aware_reflection": False,
        "use_gate": True,
        "gate_metric": "hard",
        "sel_env_num": 0,
        "test_env_num": 0,
        "eval_test": True,
    }
    summary = trainer.ReflACTTrainer(settings, environment).train()
    result = {
        "skill": read_best(job, folder),
        "metricCalls": environment.attempts,
        "version": version("skillopt"),
        "details": {key: summary[key] for key in ("total_steps", "total_accepts", "total_rejects", "total_skips")},
    }
    with open(job["result"], "w") as file:
        json.dump(result, file)


main(sys.argv[1])
