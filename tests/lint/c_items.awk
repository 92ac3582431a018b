# SPDX-License-Identifier: Apache-2.0
# Lists what C files contain at the top level, one item per line: file, line, kind, name, text,
# separated by tabs. Kinds: function (a definition that is not static), prototype, type, constant (of
# an enum), object (another declaration), macro, undef, comment. Written for code as clang-format
# leaves it. Functions that a macro makes static are found if the macro comes first.

function emit(kind, name, text) {
    gsub(/[ \t\n]+/, " ", text)
    sub(/^ /, "", text)
    sub(/ $/, "", text)
    printf "%s\t%d\t%s\t%s\t%s\n", FILENAME, start, kind, name, text
}

# The identifier before the first parenthesis.
function called(text) {
    gsub(/__attribute__ *\(\(([^()]|\([^()]*\))*\)\)/, "", text)
    sub(/\(.*/, "", text)
    sub(/[ \t]+$/, "", text)
    sub(/.*[^A-Za-z0-9_]/, "", text)
    return text
}

function constants(text, words, count, i, name) {
    sub(/^[^{]*\{/, "", text)
    sub(/\}[^}]*$/, "", text)
    count = split(text, words, ",")
    for (i = 1; i <= count; i++) {
        name = words[i]
        sub(/^[ \t\n]+/, "", name)
        sub(/[^A-Za-z0-9_].*/, "", name)
        if (name != "" && words[i] ~ /=/)
            emit("constant", name, words[i])
    }
}

function is_static(text, words, count, i) {
    count = split(text, words, /[^A-Za-z0-9_]+/)
    for (i = 1; i <= count; i++)
        if (words[i] == "static" || words[i] in static_macro)
            return 1
    return 0
}

# Names declared without parentheses: variables, or functions by a type of functions.
function objects(text, words, count, i) {
    sub(/^[ \t\n]*extern /, "", text)
    count = split(text, words, ",")
    for (i = 1; i <= count; i++) {
        sub(/\[.*/, "", words[i])
        sub(/[ \t\n]+$/, "", words[i])
        sub(/.*[^A-Za-z0-9_]/, "", words[i])
        emit("object", words[i], "")
    }
}

# The end of a declaration; `outer` is its text without what is inside braces.
function declaration(name) {
    if (outer ~ /^[ \t\n]*typedef/) {
        name = outer
        if (name ~ /\(/) {
            sub(/^[^(]*\(\*/, "", name)
            name = name ~ /^[ \t\n]*typedef/ ? called(name) : name
            sub(/[^A-Za-z0-9_].*/, "", name)
        } else {
            sub(/\[.*/, "", name)
            sub(/[ \t\n]+$/, "", name)
            sub(/.*[^A-Za-z0-9_]/, "", name)
        }
        if (whole ~ /\{/ || outer !~ /typedef (struct|union|enum) /)
            emit("type", name, whole)
    } else if (outer ~ /^[ \t\n]*(struct|union|enum)[ \t\n]+[A-Za-z0-9_]+[ \t\n]*$/ && whole ~ /\{/) {
        name = outer
        sub(/[ \t\n]+$/, "", name)
        sub(/.*[^A-Za-z0-9_]/, "", name)
        emit("type", name, whole)
    } else if (outer ~ /\(/ && outer !~ /=/ && !is_static(outer)) {
        emit("prototype", called(outer), outer)
    } else if (outer !~ /[=(]/ && outer ~ /[A-Za-z]/) {
        objects(outer)
    }
    if (outer ~ /(^|[ \t\n])enum([ \t\n]|$)/ && whole ~ /\{/)
        constants(whole)
    outer = whole = ""
}

FNR == 1 {
    depth = 0
    outer = whole = comment = macro = ""
    in_comment = in_macro = in_function = 0
}

{
    line = $0
    if (in_macro || (!in_comment && line ~ /^[ \t]*#[ \t]*define[ \t]/)) {
        if (!in_macro) {
            start = FNR
            macro = ""
        }
        in_macro = line ~ /\\$/
        sub(/\\$/, "", line)
        macro = macro " " line
        if (!in_macro) {
            gsub(/\/\*[^*]*\*\//, "", macro)
            sub(/^[ \t]*#[ \t]*define[ \t]+/, "", macro)
            name = macro
            sub(/[^A-Za-z0-9_].*/, "", name)
            if (macro ~ /(^|[ \t])static[ \t]/)
                static_macro[name] = 1
            emit("macro", name, macro)
        }
        next
    }
    if (!in_comment && line ~ /^[ \t]*#/) {
        if (line ~ /^[ \t]*#[ \t]*undef/) {
            start = FNR
            name = line
            sub(/^[ \t]*#[ \t]*undef[ \t]+/, "", name)
            sub(/[^A-Za-z0-9_].*/, "", name)
            emit("undef", name, "")
        }
        next
    }
    # a use of a macro that makes declarations
    if (!in_comment && depth == 0 && outer ~ /^[ \t\n]*$/ && line ~ /^[A-Z][A-Z0-9_]*\(.*\)$/)
        next
    if (!in_comment) {
        gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
        gsub(/'([^'\\]|\\.)*'/, "0", line)
    }
    while (line != "") {
        if (in_comment) {
            at = index(line, "*/")
            comment = comment " " (at ? substr(line, 1, at - 1) : line)
            if (!at)
                break
            line = substr(line, at + 2)
            in_comment = 0
            if (depth == 0 && outer ~ /^[ \t\n]*$/) {
                kept = start
                start = comment_start
                gsub(/ \* /, " ", comment)
                emit("comment", "", comment)
                start = kept
            }
            continue
        }
        if (!match(line, /\/\*|\/\/|[{};]/)) {
            if (outer ~ /^[ \t\n]*$/ && depth == 0)
                start = FNR
            if (depth == 0)
                outer = outer line "\n"
            whole = whole line "\n"
            break
        }
        mark = substr(line, RSTART, RLENGTH)
        text = substr(line, 1, RSTART - 1)
        line = substr(line, RSTART + RLENGTH)
        if (outer ~ /^[ \t\n]*$/ && depth == 0)
            start = FNR
        if (depth == 0)
            outer = outer text
        whole = whole text
        if (mark == "//")
            break
        if (mark == "/*") {
            in_comment = 1
            comment = ""
            comment_start = FNR
        } else if (mark == "{") {
            if (depth == 0 && outer ~ /extern ""[ \t\n]*$/) {
                outer = whole = ""
                continue
            }
            if (depth == 0) {
                in_function = outer ~ /\(/ && outer !~ /=/ && outer !~ /^[ \t\n]*typedef/
                if (in_function && !is_static(outer))
                    emit("function", called(outer), outer)
            }
            depth++
            whole = whole "{"
        } else if (mark == "}") {
            if (depth > 0)
                depth--
            whole = whole "}"
            if (depth == 0 && in_function) {
                outer = whole = ""
                in_function = 0
            }
        } else if (depth == 0) {
            declaration()
        } else {
            whole = whole ";"
        }
    }
}
