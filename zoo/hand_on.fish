# As hand_on.sh, in fish.
$argv
exit $status
