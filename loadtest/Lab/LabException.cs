namespace DroneDelivery.Lab;

/// <summary>
/// Something that a person can put right. The message is one sentence (or two) and goes to standard error as it is; no stack trace.
/// </summary>
internal class LabException(string message) : Exception(message)
{
    /// <summary>1: the lab could not do it, or a check failed.</summary>
    public virtual int ExitCode => 1;
}

/// <summary>
/// What was typed, or written in a stage, profile or environment file, is not possible. The message names the field and what would do.
/// </summary>
internal sealed class BadInputException(string message) : LabException(message)
{
    /// <summary>2: nothing was started.</summary>
    public override int ExitCode => 2;
}

/// <summary>A program is not installed that only a part of the lab needs.</summary>
internal sealed class MissingProgramException(string message) : LabException(message);
