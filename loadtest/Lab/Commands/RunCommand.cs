using System.CommandLine;
namespace DroneDelivery.Lab.Commands;

internal static class RunCommand
{
    public static Command Create() => new("run", "Replays a load test.");
}
