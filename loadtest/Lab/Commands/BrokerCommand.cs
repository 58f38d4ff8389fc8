using System.CommandLine;

namespace DroneDelivery.Lab.Commands;

/// <summary><c>lab broker</c>: only the local Service Bus.</summary>
internal static class BrokerCommand
{
    public static Command Create()
    {
        var command = new Command("broker", "Runs only the local Service Bus.");
        command.SetAction((_, _) => throw new LabException("The broker is not there yet."));
        return command;
    }
}
