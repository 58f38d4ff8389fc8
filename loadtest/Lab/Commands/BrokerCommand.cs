using System.CommandLine;
using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus;

namespace DroneDelivery.Lab.Commands;

/// <param name="Port">Of AMQP and HTTP; 0: a free one; null: the usual one.</param>
/// <param name="ConfigFile">Null: the queues of the application.</param>
/// <param name="DataFolder">Null: in memory alone.</param>
/// <param name="Traces">Whether every AMQP frame is printed.</param>
/// <param name="Tls">How clients connect.</param>
/// <param name="RequiresTokens">Whether clients need a key.</param>
internal sealed record BrokerArguments(
    int? Port, string? ConfigFile, string? DataFolder, bool Traces, BrokerTls Tls, bool RequiresTokens);

/// <param name="IsOn">Whether TLS was asked for; a certificate asks for it too.</param>
/// <param name="CertificateFile">Null: one that the broker makes.</param>
/// <param name="KeyFile">Null: the key is in that file.</param>
internal sealed record BrokerTls(bool IsOn, string? CertificateFile, string? KeyFile);

/// <summary><c>lab broker</c>: only the local Service Bus, until Ctrl-C.</summary>
internal sealed class BrokerCommand : Verb<BrokerArguments>
{
    private readonly Option<int> _port = SharedOptions.WholeNumber(
        "--port", 5672, 0, 65535, "Port of AMQP and of the HTTP management API; 0 takes a free one. With --tls it is 5671 if not given.");

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

    private readonly Option<bool> _tls = new("--tls")
    {
        Description = "Take AMQPS and HTTPS on the port, and nothing in plain text. The broker makes a certificate for localhost and "
            + "prints where it is; --data keeps it.",
    };

    private readonly Option<string?> _certificate = new("--certificate")
    {
        HelpName = "FILE",
        Description = "Use this certificate for TLS (PEM, issuers may follow). [default: one that the broker makes]",
    };

    private readonly Option<string?> _certificateKey = new("--certificate-key")
    {
        HelpName = "FILE",
        Description = "The private key of --certificate (PEM). [default: it is in that file]",
    };

    private readonly Option<bool> _noAuth = new("--no-auth")
    {
        Description = "Let everybody do everything, without a token or a key. The broker listens on this machine only.",
    };

    private readonly Option<bool> _trace = new("--trace")
    {
        Description = "Print every AMQP frame on standard error; payloads only show their size.",
    };

    public BrokerCommand()
        : base("broker", "Runs only the local Service Bus; the first line it prints is its connection string.")
    {
        Takes(_port, _config, _data, _tls, _certificate, _certificateKey, _noAuth, _trace);
        HasExamples("broker", "broker --port 5673 --config Config.json", "broker --data ~/queues --tls", "broker --trace");
    }

    protected override BrokerArguments Read(ParseResult parsed) =>
        new(
            parsed.GetResult(_port) is { Implicit: false } ? parsed.GetValue(_port) : null,
            parsed.GetValue(_config),
            parsed.GetValue(_data),
            parsed.GetValue(_trace),
            new BrokerTls(parsed.GetValue(_tls), parsed.GetValue(_certificate), parsed.GetValue(_certificateKey)),
            !parsed.GetValue(_noAuth));

    public override async Task<ExitCode> RunAsync(BrokerArguments arguments, LabContext context, CancellationToken cancellationToken)
    {
        using var trace = arguments.Traces ? new AmqpTraceLines(context.Error.Text, context.Time) : null;
        try
        {
            await using var broker = await LocalServiceBus.LocalServiceBus.StartAsync(OptionsOf(arguments), cancellationToken);
            await context.Out.Text.WriteLineAsync(broker.PrintableConnectionString);
            if (broker.CertificateFile is { } certificate)
                await context.Out.Text.WriteLineAsync($"Clients have to trust its certificate: {certificate}");
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

    private static LocalServiceBusOptions OptionsOf(BrokerArguments arguments) => new()
    {
        Port = arguments.Port,
        ConfigFile = arguments.ConfigFile,
        DataFolder = arguments.DataFolder,
        RequireTokens = arguments.RequiresTokens,
        Tls = arguments.Tls.IsOn,
        CertificateFile = arguments.Tls.CertificateFile,
        CertificateKeyFile = arguments.Tls.KeyFile,
    };
}
