-- SPDX-License-Identifier: Apache-2.0
-- wrk: sends the request of a file over and over, and prints one line of JSON at the end.
-- Arguments: BODY CONTENT_TYPE HEADER_LENGTH (0: no binary tensors)

function init(args)
    local file = assert(io.open(args[1], "rb"))
    local headers = { ["Content-Type"] = args[2] }

    if args[3] ~= "0" then
        headers["Inference-Header-Content-Length"] = args[3]
    end
    local bytes = wrk.format("POST", nil, headers, file:read("*a"))

    file:close()
    request = function() return bytes end
end

function done(summary, latency)
    local e = summary.errors

    print(string.format('{"requests":%d,"seconds":%f,"p50":%f,"p99":%f,"errors":%d}', summary.requests,
        summary.duration / 1e6, latency:percentile(50), latency:percentile(99),
        e.connect + e.read + e.write + e.status + e.timeout))
end
