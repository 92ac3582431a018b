# SPDX-License-Identifier: Apache-2.0
"""The baseline of bench_serve.py: a WSGI application that scores with XGBoost on one thread.

It reads the same bodies as `gradus serve` and writes answers of the same form: JSON with the standard
module, binary tensors with numpy. MODEL names a file in XGBoost's JSON format."""
import json
import os

import numpy
import xgboost

booster = xgboost.Booster({"nthread": 1})
booster.load_model(os.environ["MODEL"])
booster.set_param({"nthread": 1})


def infer(body):
    """Open Inference Protocol, tensors as JSON."""
    tensor = json.loads(body)["inputs"][0]
    rows = numpy.array(tensor["data"], dtype=numpy.float32).reshape(tensor["shape"])
    scores = booster.inplace_predict(rows)
    answer = {"model_name": "web", "model_version": "1", "outputs": [
        {"name": "scores", "datatype": "FP64", "shape": [len(rows)], "data": scores.tolist()}]}
    return json.dumps(answer).encode(), 0


def infer_binary(body, header):
    """Open Inference Protocol, binary tensors in both directions."""
    tensor = json.loads(body[:header])["inputs"][0]
    rows = numpy.frombuffer(body, dtype=numpy.float32, offset=header).reshape(tensor["shape"])
    scores = booster.inplace_predict(rows).astype(numpy.float64).tobytes()
    head = json.dumps({"model_name": "web", "model_version": "1", "outputs": [
        {"name": "scores", "datatype": "FP64", "shape": [len(rows)],
         "parameters": {"binary_data_size": len(scores)}}]}).encode()
    return head + scores, len(head)


def rank(body):
    """The documents of one query, sorted by score."""
    documents = json.loads(body)["documents"]
    rows = numpy.array([document["features"] for document in documents], dtype=numpy.float32)
    scores = booster.inplace_predict(rows)
    order = numpy.argsort(-scores, kind="stable").tolist()
    values = scores.tolist()
    ranked = [{"id": documents[row]["id"], "rank": place + 1, "score": values[row]}
              for place, row in enumerate(order)]
    return json.dumps({"model": "web", "version": "1", "documents": ranked}).encode(), 0


def application(environ, start_response):
    body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
    header = environ.get("HTTP_INFERENCE_HEADER_CONTENT_LENGTH")
    if environ["PATH_INFO"] == "/rank":
        answer, head = rank(body)
    elif header:
        answer, head = infer_binary(body, int(header))
    else:
        answer, head = infer(body)
    headers = [("Content-Type", "application/octet-stream" if head else "application/json"),
               ("Content-Length", str(len(answer)))]
    if head:
        headers.append(("Inference-Header-Content-Length", str(head)))
    start_response("200 OK", headers)
    return [answer]
