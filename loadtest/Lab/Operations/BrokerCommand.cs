using System.CommandLine;
using DroneDelivery.Amqp;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.LocalServiceBus;

namespace DroneDelivery.Lab.Operations;

internal sealed class BrokerCommand : Verb
{
    private readonly Option<int> _port = OptionOf.WholeNumber(
        "--port",
        5672,
        0,
        65535,
        "Port of AMQP and of the HTTP management API; 0 takes a free one. With --tls it is 5671 if not given."
    );

    private readonly Option<string?> _config = OptionOf.Text(
        "--config",
        "FILE",
        "File with the queues, in the format of the official emulator's Config.json. "
            + "[default: delivery-requests and delivery-requests-failed]"
    );

    private readonly Option<string?> _data = OptionOf.Text(
        "--data",
        "FOLDER",
        "Keep queues and messages in this folder: what was acknowledged survives a restart or a crash. "
            + "[default: in memory only]"
    );

    private readonly Option<bool> _tls = OptionOf.Flag(
        "--tls",
        "Take AMQPS and HTTPS on the port, and nothing in plain text. The broker makes a certificate for localhost and "
            + "prints where it is; --data keeps it."
    );

    private readonly Option<string?> _certificate = OptionOf.Text(
        "--certificate",
        "FILE",
        "Use this certificate for TLS (PEM, issuers may follow). [default: one that the broker makes]"
    );

    private readonly Option<string?> _certificateKey = OptionOf.Text(
        "--certificate-key",
        "FILE",
        "The private key of --certificate (PEM). [default: it is in that file]"
    );

    private readonly Option<bool> _noAuth = OptionOf.Flag(
        "--no-auth",
        "Let everybody do everything, without a token or a key. The broker listens on this machine only."
    );

    private readonly Option<bool> _trace = OptionOf.Flag(
        "--trace",
        "Print every AMQP frame on standard error; payloads only show their size."
    );

    public BrokerCommand()
        : base("broker", "Runs only the local Service Bus; the first line it prints is its connection string.")
    {
        Takes(_port, _config, _data, _tls, _certificate, _certificateKey, _noAuth, _trace);
        HasExamples(
            "broker",
            "broker --port 5673 --config Config.json",
            "broker --data ~/queues --tls",
            "broker --trace"
        );
    }

    protected override async Task<ExitCode> RunAsync()
    {
        using var trace = Get(_trace) ? new AmqpTraceLines(Error, Clock) : null;
        try
        {
            await using var broker = await LocalServiceBus.LocalServiceBus.StartAsync(BrokerOptions, Left);
            await Out.Text.WriteLineAsync(broker.PrintableConnectionString);
            if (broker.CertificateFile is { } certificate)
                await Out.Text.WriteLineAsync($"Clients have to trust its certificate: {certificate}");
            await broker.WaitForShutdownAsync(Left);
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

    private LocalServiceBusOptions BrokerOptions =>
        new()
        {
            Port = Typed.GetResult(_port) is { Implicit: false } ? Get(_port) : null,
            ConfigFile = Get(_config),
            Queues = Get(_config) is null ? [new(BrokerCounters.QueueName), new(BrokerCounters.FailedQueueName)] : null,
            DataFolder = Get(_data),
            RequireTokens = !Get(_noAuth),
            Tls = Get(_tls),
            CertificateFile = Get(_certificate),
            CertificateKeyFile = Get(_certificateKey),
        };
}
