# SPDX-License-Identifier: Apache-2.0
# gradus compare with default options and on too few queries; metric names of other tools; suggestions.
load common

@test "the default metric is one that compare takes" {
    make_small
    gradus compare small.txt feature:1 feature:2 > out
    grep -q "^metric ndcg@10$" out
    gradus compare small.txt feature:1 feature:2 --json | jq -e '.metric == "ndcg@10"'
    gradus compare --help | grep -A2 -- "--metric LIST" | grep -qF "(default ndcg@10)"
    refuses 2 "gradus compare takes one metric" gradus compare small.txt feature:1 feature:2 --metric map,mrr
}

@test "one query is too few" {
    printf '1 qid:1 1:1\n0 qid:1 1:2\n' > one.txt
    refuses 2 "one.txt has 1 query with a value of map for both feature:1 and random: a comparison needs at least 2" \
        gradus compare one.txt feature:1 random --metric map
    # one of the two queries has no relevant document
    printf '0 qid:2 1:1\n0 qid:2 1:2\n' | cat one.txt - > two.txt
    refuses 2 "two.txt has 1 query with a value of ndcg@10" gradus compare two.txt feature:1 random
    refuses 2 "two.txt has 1 query" gradus compare two.txt feature:1 random --json
    tail -2 two.txt > none.txt
    refuses 2 "have no query with a value in both" gradus compare none.txt feature:1 random
    gradus compare two.txt feature:1 random --empty zero > out
    lacks nan out
}

@test "names of metrics in other tools" {
    make_small
    gradus eval small.txt feature:1 --metric ndcg@10,p@5,p@10,mrr,map,map@5,mean-ndcg,u-pairs > wanted
    gradus eval small.txt feature:1 \
        --metric NDCG@10,precision@5,P_10,recip_rank,MAP,map_cut_5,MeanNDCG,U_Pairs > found
    diff wanted found
    gradus eval small.txt feature:1 --metric ndcg_cut_10 --json | jq -e '[.. | .metric? // empty] | index("ndcg_cut_10") == null'
    refuses 2 "unknown metric 'ndcq_cut'" gradus eval small.txt feature:1 --metric ndcq_cut_10
    refuses 2 "takes no cutoff" gradus eval small.txt feature:1 --metric bpref_10
    refuses 2 "must be a whole number from 1, not '0'" gradus eval small.txt feature:1 --metric P_0
}

@test "only near words are suggested" {
    make_small
    refuses 2 "unknown option '--trunks'; 'gradus help train' lists them" \
        gradus train --train small.txt -o m.model --trunks 5
    refuses 2 "did you mean '--rounds'?" gradus train --train small.txt -o m.model --ronds 5
    refuses 2 "did you mean '--leaves'?" gradus train --train small.txt -o m.model --laeves 5
}

@test "a geometric mean is not tested" {
    make_small
    gradus eval small.txt feature:1 --metric gmap,rprec,success@1,rbp --persistence 0.5 > out
    grep -q "^gmap " out
    refuses 2 "gmap is a geometric mean" gradus compare small.txt feature:1 feature:2 --metric gmap
    refuses 2 "'gmap' is a geometric mean" gradus tune --method regression --train small.txt --valid small.txt --metric gmap -o m.model
    gradus train -q --method regression --train small.txt --valid small.txt --metric gmap --rounds 2 --min-rows 1 -o m.model > out
}
