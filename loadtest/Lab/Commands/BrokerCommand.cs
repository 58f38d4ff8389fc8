using System.CommandLine;
using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus;

namespace DroneDelivery.Lab.Commands;

/// <param name="Port">Of AMQP and HTTP; 0: a free one.</param>
/// <param name="ConfigFile">Null: the queues of the application.</param>
/// <param name="DataFolder">Null: in memory alone.</param>
/// <param name="Traces">Whether every AMQP frame is printed.</param>
internal sealed record BrokerArguments(int Port, string? ConfigFile, string? DataFolder, bool Traces);

/// <summary><c>lab broker</c>: only the local Service Bus, until Ctrl-C.</summary>
internal sealed class BrokerCommand : Verb<BrokerArguments>
{
    private readonly Option<int> _port =
        SharedOptions.WholeNumber("--port", 5672, 0, 65535, "Port of AMQP and of the HTTP management API; 0 takes a free one.");

    private readonly Option<string?> _config = new("--config")
    {
        HelpName = "FILE",
        Description = "File with the queues, in the format of the official emulator's Config.json. "
            + "[default: delivery-requests and delivery-requests-failed]",
    };

    private readonly Option<string?> _data = new("--data")
    {
        HelpName = "FOLDER",
        Description = "Keep queues and messages in this folder: what was acknowledged survives a restart or a crash. "
            + "[default: in memory only]",
    };

    private readonly Option<bool> _trace = new("--trace")
    {
        Description = "Print every AMQP frame on standard error; payloads only show their size.",
    };

    public BrokerCommand()
        : base("broker", "Runs only the local Service Bus; the first line it prints is its connection string.")
    {
        Takes(_port, _config, _data, _trace);
        HasExamples("broker", "broker --port 5673 --config Config.json", "broker --data ~/queues", "broker --trace");
    }

    protected override BrokerArguments Read(ParseResult parsed) =>
        new(parsed.GetValue(_port), parsed.GetValue(_config), parsed.GetValue(_data), parsed.GetValue(_trace));

    public override async Task<ExitCode> RunAsync(BrokerArguments arguments, LabContext context, CancellationToken cancellationToken)
    {
        using var trace = arguments.Traces ? new AmqpTraceLines(context.Error.Text, context.Time) : null;
        try
        {
            await using var broker = await LocalServiceBus.LocalServiceBus.StartAsync(
                new() { Port = arguments.Port, ConfigFile = arguments.ConfigFile, DataFolder = arguments.DataFolder }, cancellationToken);
            await context.Out.Text.WriteLineAsync(broker.ConnectionString);
            await broker.WaitForShutdownAsync(cancellationToken);
            return ExitCode.Held;
        }
        catch (OperationCanceledException)
        {
            return ExitCode.Held;
        }
        catch (BrokerStartException exception)
        {
            throw new LabException(exception.Message);
        }
    }
}
