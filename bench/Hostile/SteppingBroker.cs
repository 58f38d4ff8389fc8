using System.CommandLine;
using System.Diagnostics;
using DroneDelivery.LocalServiceBus;

namespace DroneDelivery.Bench.Hostile;

/// <summary>The local Service Bus on a machine whose time of day is set an hour ahead while it runs.</summary>
internal static class SteppingBroker
{
    public static Command Command()
    {
        var port = new Option<int>("--port") { Required = true };
        var after = new Option<int>("--step-after") { Description = "seconds", Required = true };
        var command = new Command("stepping-broker", "The broker for the clock of `hostile`.") { port, after };
        command.SetAction(
            async (parsed, stop) =>
            {
                await using var broker = await LocalServiceBus.LocalServiceBus.StartAsync(
                    new LocalServiceBusOptions
                    {
                        Port = parsed.GetValue(port),
                        QueueNames = { "delivery-requests" },
                        TimeProvider = new SteppingTime(TimeSpan.FromSeconds(parsed.GetValue(after))),
                    },
                    stop
                );
                await broker.WaitForShutdownAsync(stop);
            }
        );
        return command;
    }

    private sealed class SteppingTime(TimeSpan after) : TimeProvider
    {
        private readonly long _start = Stopwatch.GetTimestamp();

        public override DateTimeOffset GetUtcNow() =>
            System.GetUtcNow() + TimeSpan.FromHours(Stopwatch.GetElapsedTime(_start) < after ? 0 : 1);
    }
}
