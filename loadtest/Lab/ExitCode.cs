namespace DroneDelivery.Lab;

/// <summary>What a verb tells the shell.</summary>
internal enum ExitCode
{
    /// <summary>It is done, and every check that could be judged holds.</summary>
    Held = 0,

    /// <summary>The lab could not do it, or a check failed.</summary>
    Failed = 1,

    /// <summary>What was typed makes no sense: one line said so, and nothing was started.</summary>
    BadInput = 2,

    /// <summary>Ctrl-C ended it before its end.</summary>
    Interrupted = 130,
}
