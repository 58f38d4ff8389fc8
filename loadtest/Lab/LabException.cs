namespace DroneDelivery.Lab;

/// <summary>An error that the user can fix. Its message is printed without a stack trace. Only a verb handles it.</summary>
internal class LabException(string message) : Exception(message)
{
    public virtual ExitCode ExitCode => ExitCode.Failed;
}

/// <summary>Invalid input on the command line or in a file. The message lists the field and the valid values.</summary>
internal sealed class BadInputException(string message) : LabException(message)
{
    public override ExitCode ExitCode => ExitCode.BadInput;
}
