#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Finds the phrases of phrases.txt in comments, strings and pages: private idioms that a reader of
# the field has to decode. phrases-allow.txt lists exceptions, at most 60; they apply to comments and
# pages and to strings of one word (keys, names), not to README.md, help or messages.
# usage: phrases.sh [--count] SOURCE BUILD
# --count prints how often each phrase occurs, exceptions included, and always succeeds.
set -u
count=0
[[ ${1-} == --count ]] && { count=1; shift; }
lint=$(cd "$(dirname "$0")" && pwd)
source=${1-$lint/../..}
allowed=/dev/null
[[ -e $source/tests/lint/phrases-allow.txt ]] && allowed=$source/tests/lint/phrases-allow.txt
cd "$source" || exit 1
find README.md CONTRIBUTING.md SECURITY.md bench/README.md src experiments cli server include docs python web -type f \
    \( -name '*.[ch]' -o -name '*.def' -o -name '*.md' -o -name '*.py' -o -name '*.pyi' -o -name '*.rst' -o -name '*.ipynb' -o -name '*.js' -o -name '*.html' -o -name '*.css' \) \
    ! -path docs/reference.md ! -path 'python/tests/*' 2>/dev/null | sort |
    perl -e '
use strict;
use warnings;
my ($count, $phrases, $allowed) = @ARGV;
my (@patterns, %allow, %used, %counts, $bad);
my $most = 60;

sub complain { print "phrases: $_[0]\n"; $bad = 1 }

open my $in, "<", $phrases or die "$phrases: $!";
while (<$in>) {
    chomp;
    next if /^#/ || !/\S/;
    my ($regex, $instead) = split /\t+/;
    die "$phrases:$.: expected a regular expression, a tab and a suggestion\n" unless $instead;
    push @patterns, [$regex, qr/$regex/i, $instead];
}
close $in;
if (open $in, "<", $allowed) {
    my $entries = 0;
    while (<$in>) {
        chomp;
        next if /^#/ || !/\S/;
        my ($file, $phrase, $reason) = /^(\S+): (.+?): (\S.*)$/ or do {
            complain("phrases-allow.txt:$.: expected \x27file: phrase: reason\x27");
            next;
        };
        complain("phrases-allow.txt:$.: README.md has no exceptions") if $file =~ m{^README\.md$};
        $allow{$file}{lc $phrase} = $.;
        $entries++;
    }
    complain("phrases-allow.txt has $entries entries, more than $most") if $entries > $most;
}

# Text on one line, words separated by one space, and the line that each word is on.
my ($text, @starts);
sub add {
    my ($piece, $line, $glue) = @_;
    for my $row (split /\n/, $piece, -1) {
        (my $words = $row) =~ s{^\s*(?:/\*+|\*+/?|//+|\#+|>)?\s*}{};
        $words =~ s{\s+}{ }g;
        $words =~ s{ ?\*/$}{};
        push @starts, [length $text, $line++];
        $text .= $words =~ /\S/ ? ($glue ? $words : "$words ") : "\n";
    }
}
sub report {
    my ($file, $is_message) = @_;
    for my $pattern (@patterns) {
        my ($name, $regex, $instead) = @$pattern;
        while ($text =~ /$regex/g) {
            my ($at, $found) = ($-[0], $&);
            my ($line) = map { $_->[1] } grep { $_->[0] <= $at } reverse @starts;
            (my $phrase = lc $found) =~ s/^\s+|\s+$//g;
            $counts{$name}++;
            if (!$is_message && $allow{$file}{$phrase}) {
                $used{$file}{$phrase} = 1;
                next;
            }
            complain("$file:$line: \x27$phrase\x27; instead: $instead") unless $count;
        }
    }
    ($text, @starts) = ("");
}

while (my $file = <STDIN>) {
    chomp $file;
    local $/;
    open my $in, "<", $file or die "$file: $!";
    my $all = <$in> // "";
    $text = "";
    my $is_python = $file =~ /\.pyi?$/;
    $all =~ s/\bNone\b/NULL/g if $is_python; # a value, not a word
    if ($file !~ /\.(?:[ch]|def|js|pyi?)$/) {
        add($all, 1);
        report($file, $file eq "README.md" || $file =~ /\.html$/);
        next;
    }
    my $string = $file =~ /\.js$/ ? qr/"(?:\\.|[^"\\\n])*"|\x27(?:\\.|[^\x27\\\n])*\x27|`(?:\\.|[^`\\])*`/s
                                  : qr/"(?:\\.|[^"\\\n])*"|\x27(?:\\.|[^\x27\\\n])*\x27/;
    my $comment = $is_python ? qr/"""(?:\\.|[^\\])*?"""|\#[^\n]*/s : qr{/\*.*?\*/|//[^\n]*}s;
    my ($end, $was, $line, $seen) = (0, "", 1, 0);
    while ($all =~ m{$comment|$string}gs) {
        my ($at, $piece) = ($-[0], $&);
        my $between = substr($all, $end, $at - $end);
        $line += substr($all, $seen, $at - $seen) =~ tr/\n//;
        $seen = $at;
        my $kind = $piece =~ m{^(?://|\#)} ? "//" : $piece =~ m{^(?:/\*|""")} ? "/*" : "\"";
        # neighbouring strings and lines of // comments are one text
        report($file, $was eq "\"" && $text =~ / /) unless $was eq $kind && $kind ne "/*" && $between =~ /^\s*$/;
        $piece = substr($piece, 1, -1) if $kind eq "\"";
        $piece =~ s/\\n/ /g if $kind eq "\"";
        add($piece, $line, $kind eq "\"");
        ($was, $end) = ($kind, $at + length $&);
    }
    report($file, $was eq "\"" && $text =~ / /);
}
if ($count) {
    printf "%6d  %s\n", $counts{$_->[0]} // 0, $_->[0] for sort { ($counts{$b->[0]} // 0) <=> ($counts{$a->[0]} // 0) } @patterns;
    exit 0;
}
for my $file (sort keys %allow) {
    for my $phrase (sort keys %{$allow{$file}}) {
        complain("phrases-allow.txt:$allow{$file}{$phrase}: \x27$phrase\x27 is not in $file, or only in a message")
            unless $used{$file}{$phrase};
    }
}
exit($bad ? 1 : 0);
' "$count" "$lint/phrases.txt" "$allowed"
