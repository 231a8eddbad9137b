# SPDX-License-Identifier: MIT
use strict;
use warnings;

my ($state, %seen, @rows) = (1);
for my $i (1 .. 80_000) {
	$state = ($state * 16807) % 2147483647;
	my $word = join '', map { chr(97 + $_) } split //, $state % 1_000_000;
	push @{ $seen{$word} }, $i;
	push @rows, "$word:$i:" . 'x' x ($i % 40);
}
printf "%d words, %d rows\n", scalar keys %seen, scalar @rows;
my @sorted = sort { $a cmp $b } @rows;
print "$sorted[0]\n$sorted[-1]\n";
my $text = join ' ', @sorted;
my $pairs = () = $text =~ /([a-j])\1/g;
(my $other = $text) =~ s/x+/-/g;
printf "%d pairs, %d bytes, %d after\n", $pairs, length $text, length $other;
for my $word ((sort keys %seen)[0 .. 4]) {
	printf "%s %s\n", $word, join ',', @{ $seen{$word} };
}
warn "a warning on stderr\n";
