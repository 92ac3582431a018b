#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Training a model tree: gradus on one thread against WEKA's M5P, alternating; then large data.

bench_m5.py BUILD [TIMES]: about 20,000 rows of `gradus synth web`, TIMES times (3) with each, by the
training seconds that each reports and by processor seconds of the whole process; then, without
WEKA, about 600,000 rows on two threads."""
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile

JAR = "/usr/share/java/weka.jar"


def spent(words):
    """Returns the output and the processor seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    text = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          check=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return text, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def train(gradus, data, threads):
    words = [gradus, "train", "--method", "regression", "--learner", "m5p", "--train", data, "-o",
             "m5.model", "--threads", str(threads), "--train-eval-every", "0", "--json"]
    text, cpu = spent(words)
    done = json.loads(text.splitlines()[-1])
    return done["seconds"]["bin"] + done["seconds"]["train"], cpu


def write_arff(csv, arff):
    with open(csv) as source, open(arff, "w") as file:
        names = source.readline().strip().split(",")
        keep = [i for i, name in enumerate(names) if name not in ("label", "qid")]
        label = names.index("label")
        file.write("@relation web\n" + "".join(f"@attribute f{i} numeric\n" for i in keep))
        file.write("@attribute label numeric\n@data\n")
        for line in source:
            cells = line.strip().split(",")
            file.write(",".join(cells[i] for i in keep) + f",{cells[label]}\n")


def weka():
    text, cpu = spent(["java", "-Xmx3g", "-cp", JAR, "weka.classifiers.trees.M5P", "-t", "web.arff",
                       "-no-cv"])
    return float(re.search(r"build model: ([0-9.]+)", text).group(1)), cpu


def main():
    gradus = os.path.abspath(os.path.join(sys.argv[1], "gradus"))
    times = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        subprocess.run([gradus, "synth", "web", "--queries", "167", "-o", "web.csv"], check=True)
        subprocess.run([gradus, "synth", "web", "--queries", "167", "-o", "web.bin"], check=True)
        write_arff("web.csv", "web.arff")
        ours, theirs = [], []
        for _ in range(times):
            ours.append(train(gradus, "web.bin", 1))
            if os.path.exists(JAR):
                theirs.append(weka())
        for what, place in (("seconds to train", 0), ("processor seconds", 1)):
            mine = statistics.median(one[place] for one in ours)
            line = f"20,985 rows x 136, {what}: gradus {mine:.3f}"
            if theirs:
                other = statistics.median(one[place] for one in theirs)
                line += f", WEKA {other:.2f}: {other / mine:.0f} times as fast"
            print(line)
        subprocess.run([gradus, "synth", "web", "--queries", "5000", "-o", "web.bin"], check=True)
        seconds, cpu = train(gradus, "web.bin", 2)
        print(f"588,778 rows x 136, two threads: {seconds:.1f} seconds, {cpu:.1f} of processor time")
        os.chdir("/")


main()
