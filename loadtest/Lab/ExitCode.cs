namespace DroneDelivery.Lab;

/// <summary>What a verb tells the shell.</summary>
internal enum ExitCode
{
    /// <summary>It is done, and came out as expected.</summary>
    Held = 0,

    /// <summary>The lab could not do it, or it came out otherwise than expected: a check fails, a message is lost, a run is void.</summary>
    Failed = 1,

    /// <summary>What was typed makes no sense: one line said so, and nothing was started.</summary>
    BadInput = 2,

    /// <summary>A run came out as expected for its knobs, as far as somebody predicts what these imply; they are not those of the published
    /// stage, and neither are its figures.</summary>
    Differs = 3,

    /// <summary>What could be measured came out as expected, and some checks could not be judged.</summary>
    Partly = 4,

    /// <summary>Ctrl-C ended it before its end.</summary>
    Interrupted = 130,
}
