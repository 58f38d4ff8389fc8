using System.CommandLine;
using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus;

namespace DroneDelivery.Lab.Commands;

/// <summary><c>lab broker</c>: only the local Service Bus, until Ctrl-C.</summary>
internal static class BrokerCommand
{
    public static Command Create()
    {
        var port = Options.WholeNumber("--port", 5672, 0, 65535, "Port of AMQP and of the HTTP management API; 0 takes a free one.");
        var config = new Option<string?>("--config")
        {
            HelpName = "FILE",
            Description = "Queues, in the form of the official emulator's Config.json. [default: the queue delivery-requests]",
        };
        var trace = new Option<bool>("--trace")
        {
            Description = "Print every AMQP frame on standard error; payloads only show their size.",
        };
        var command = new Command("broker", "Runs only the local Service Bus; the first line it prints is its connection string.")
        {
            port, config, trace,
        };
        command.WithExamples("broker", "broker --port 5673 --config Config.json", "broker --trace");
        command.SetAction((parsed, cancellationToken) =>
            RunAsync(
                new() { Port = parsed.GetValue(port), ConfigFile = parsed.GetValue(config) }, parsed.GetValue(trace), cancellationToken));
        return command;
    }

    private static async Task<int> RunAsync(LocalServiceBusOptions options, bool traces, CancellationToken cancellationToken)
    {
        using var trace = traces ? new AmqpTraceLines(Console.Error, TimeProvider.System) : null;
        try
        {
            await using var broker = await LocalServiceBus.LocalServiceBus.StartAsync(options, cancellationToken);
            Console.WriteLine(broker.ConnectionString);
            await broker.WaitForShutdownAsync(cancellationToken);
            return 0;
        }
        catch (OperationCanceledException)
        {
            return 0;
        }
        catch (BrokerStartException exception)
        {
            throw new LabException(exception.Message);
        }
    }
}
