namespace DroneDelivery.Lab;

/// <summary>
/// Something that a person can put right. The message is one sentence (or two) and goes to standard error as it is; no stack trace. Any
/// method of the lab may throw it: only a verb's end handles it.
/// </summary>
internal class LabException(string message) : Exception(message)
{
    public virtual ExitCode ExitCode => ExitCode.Failed;
}

/// <summary>
/// What was typed, or written in a stage, profile or environment file, is not possible. The message names the field and what would do.
/// </summary>
internal sealed class BadInputException(string message) : LabException(message)
{
    public override ExitCode ExitCode => ExitCode.BadInput;
}
