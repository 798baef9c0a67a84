# What ExifTool calls of the module of this name, which Debian 12 does not have, by the program `brotli`.
package IO::Uncompress::Brotli;
use strict;
use warnings;
use POSIX ();

# ExifTool warns then that it lacks this module, by which we know.
grep { -x "$_/brotli" } split(/:/, $ENV{PATH}) or die "brotli is not installed\n";

# EXIF and XMP have some kilobytes; a bomb has more than the memory of a process.
my $MOST_BYTES = 16 * 1024 ** 2;

# Returns the plain bytes; dies where they are none of Brotli, or too many.
sub unbro {
    my ($packed) = @_;
    my $program = open(my $plain, '-|') // die "fork: $!";
    if (!$program) {
        # A process of its own feeds the program, which may write before it has read all.
        my $feeder = open(STDIN, '-|') // POSIX::_exit(1);
        if (!$feeder) {
            syswrite(STDOUT, $packed);
            POSIX::_exit(0);
        }
        no warnings 'exec';
        exec('brotli', '--decompress', '--stdout') or POSIX::_exit(1);
    }
    binmode($plain);
    my $length = read($plain, my $bytes, $MOST_BYTES + 1) // die "read: $!";
    die "too much\n" if $length > $MOST_BYTES;
    close($plain) or die "brotli failed\n";
    return $bytes;
}

1;
