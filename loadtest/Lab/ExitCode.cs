namespace DroneDelivery.Lab;

internal enum ExitCode
{
    /// <summary>The command succeeded, with the expected results.</summary>
    Held = 0,

    /// <summary>The command failed, or its results aren't as expected: a failed check, a lost message, an invalid run.</summary>
    Failed = 1,

    /// <summary>The command line is invalid; nothing was started.</summary>
    BadInput = 2,

    /// <summary>Settings were changed, and the results match their prediction, if any.</summary>
    Differs = 3,

    /// <summary>Everything measured is as expected, but some checks couldn't be evaluated.</summary>
    Partly = 4,

    /// <summary>Ctrl-C interrupted the command.</summary>
    Interrupted = 130,
}
