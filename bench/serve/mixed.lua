-- SPDX-License-Identifier: Apache-2.0
-- wrk: every 100th request is malformed, each time in another way. Checks the status of all answers and the
-- bytes of the good ones; prints one line of JSON at the end. Needs one connection per thread, so that
-- answers come in the order of the requests. Arguments: BODY ANSWER

local threads = {}
local sent = 0
local kinds, good, expected

-- Counted in each thread, and read at the end.
good_answers, bad_answers, wrong_status, wrong_bytes = 0, 0, 0, 0

function setup(thread)
    table.insert(threads, thread)
end

local function read(path)
    local file = assert(io.open(path, "rb"))
    local bytes = file:read("*a")

    file:close()
    return bytes
end

function init(args)
    local body, json = read(args[1]), { ["Content-Type"] = "application/json" }
    local gzip = { ["Content-Type"] = "application/json", ["Content-Encoding"] = "gzip" }
    local path = wrk.path

    expected = read(args[2])
    good = wrk.format("POST", path, json, body)
    kinds = {
        { 400, wrk.format("POST", path, json, body:sub(1, #body - 40)) },           -- truncated
        { 400, wrk.format("POST", path, json, body:gsub(",", ";", 9)) },            -- not JSON
        { 400, wrk.format("POST", path, gzip, body) },                              -- not gzip
        { 422, wrk.format("POST", path, json, body:gsub("136%]", "135]", 1)) },     -- wrong shape
        { 422, wrk.format("POST", path, json, body:gsub('"data":%[', '"data":[1e39,', 1)) }, -- too large
        { 422, wrk.format("POST", path, json, '{"inputs":[]}') },
        { 404, wrk.format("POST", "/v2/models/other/infer", json, '{"inputs":[]}') },
        { 405, wrk.format("PUT", path, json, "{}") },
        { 415, wrk.format("POST", path, { ["Content-Type"] = "text/plain" }, "{}") },
    }
end

local function malformed()
    return sent % 100 == 0
end

function request()
    sent = sent + 1
    if not malformed() then
        return good
    end
    return kinds[sent / 100 % #kinds + 1][2]
end

function response(status, _, body)
    if malformed() then
        bad_answers = bad_answers + 1
        if status ~= kinds[sent / 100 % #kinds + 1][1] then
            wrong_status = wrong_status + 1
        end
    else
        good_answers = good_answers + 1
        if status ~= 200 then
            wrong_status = wrong_status + 1
        elseif body ~= expected then
            wrong_bytes = wrong_bytes + 1
        end
    end
end

function done(summary, latency)
    local function sum(name)
        local all = 0

        for _, thread in ipairs(threads) do
            all = all + thread:get(name)
        end
        return all
    end

    print(string.format('{"requests":%d,"seconds":%f,"p50":%f,"p99":%f,"good":%d,"malformed":%d,' ..
        '"wrong_status":%d,"wrong_bytes":%d,"broken":%d}', summary.requests, summary.duration / 1e6,
        latency:percentile(50), latency:percentile(99), sum("good_answers"), sum("bad_answers"),
        sum("wrong_status"), sum("wrong_bytes"),
        summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout))
end
