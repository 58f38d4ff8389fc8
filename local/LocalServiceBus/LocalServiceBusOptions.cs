using System.Net;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Wire;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace DroneDelivery.LocalServiceBus;

/// <summary>What a broker is told at its start. Bound from the configuration section <see cref="Section"/>.</summary>
public sealed class LocalServiceBusOptions
{
    public const string Section = "ServiceBus";

    // Of the environment: where the official emulator looks for its file.
    private const string ConfigVariable = "CONFIG_PATH";

    private const int PlainPort = 5672,
        TlsPort = 5671;

    /// <summary>TCP port of AMQP and of the HTTP management API. Null: 5672, or 5671 with TLS. Zero: a free one, on IPv4 only.</summary>
    public int? Port { get; set; }

    /// <summary>One more port that does the same, for clients that expect the management API apart from AMQP: the official emulator has it
    /// at 5300. Null: none. Zero: a free one.</summary>
    public int? ManagementPort { get; set; }

    /// <summary>Whether the port takes AMQP and HTTP in TLS, and nothing in plain text.</summary>
    public bool Tls { get; set; }

    /// <summary>Certificate for TLS, and its issuers if there are any, in PEM; switches TLS on. Without it the broker makes one for
    /// localhost and the machine's name, and keeps it in the data folder.</summary>
    public string? CertificateFile { get; set; }

    /// <summary>The private key of <see cref="CertificateFile"/> in PEM; null: it is in that file.</summary>
    public string? CertificateKeyFile { get; set; }

    /// <summary>Of the broker with these options, seen from the same machine.</summary>
    internal Uri LocalAddress()
    {
        var host = IPAddress.TryParse(Listen, out var address) && !IsAny(address) ? address.ToString() : "localhost";
        return new UriBuilder(UsesTls ? "https" : "http", host, PortToOpen).Uri;
    }

    private static bool IsAny(IPAddress address) => address.Equals(IPAddress.Any) || address.Equals(IPAddress.IPv6Any);

    internal int PortToOpen => Port ?? (UsesTls ? TlsPort : PlainPort);

    internal bool UsesTls => Tls || CertificateFile is not null;

    /// <summary>Where to listen: <c>localhost</c> (IPv4 and IPv6 loopback), <c>*</c> (every interface: what a container needs) or
    /// one IP address. The key of the default rule is known to everybody, so anything but loopback is for closed networks, or for rules
    /// of your own.</summary>
    public string Listen { get; set; } = "localhost";

    /// <summary>A file in the format of the official emulator's Config.json that declares queues and topics.</summary>
    public string? ConfigFile { get; set; }

    /// <summary>Queues that there are in any case, with the service's defaults.</summary>
    public IList<string> QueueNames { get; } = [];

    /// <summary>Where the broker keeps queues and messages; null: in memory alone. What it has acknowledged is on the disk then.</summary>
    public string? DataFolder { get; set; }

    /// <summary>Whether clients need a token, or a key, of one of the broker's rules. False: everybody may do everything, on loopback
    /// only.</summary>
    public bool RequireTokens { get; set; } = true;

    /// <summary>Links of an AMQP connection, and sessions, of which SDKs have one for each link: 1 to 65536. A processor has two links for
    /// each session of messages that it works on.</summary>
    public int MaxLinks { get; set; } = 5000;

    /// <summary>AMQP connections at a time, from 1. A client beyond is told amqp:resource-limit-exceeded.</summary>
    public int MaxConnections { get; set; } = 5000;

    /// <summary>The queues to begin with, in place of those of <see cref="ConfigFile"/>; null: those. Set in code alone.</summary>
    public IReadOnlyList<QueueOptions>? Queues { get; init; }

    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <summary>By which tokens expire: that of the clients who make them, whatever <see cref="TimeProvider"/> says.</summary>
    public TimeProvider TokenTimeProvider { get; init; } = TimeProvider.System;

    public ILoggerFactory LoggerFactory { get; init; } = NullLoggerFactory.Instance;

    /// <inheritdoc cref="AmqpFrontEndOptions.DelaySettlementResponse"/>
    internal Action<Action>? DelaySettlementResponse { get; set; }

    /// <exception cref="BrokerStartException">A setting is unknown, of the wrong type or out of range; the message names it.</exception>
    internal static LocalServiceBusOptions From(IConfiguration configuration)
    {
        try
        {
            var options = configuration
                .GetSection(Section)
                .Get<LocalServiceBusOptions>(binder => binder.ErrorOnUnknownConfiguration = true)
                ?? new LocalServiceBusOptions();
            options.ConfigFile ??= configuration[ConfigVariable];
            options.Validate();
            return options;
        }
        catch (InvalidOperationException error)
        {
            throw new BrokerStartException(error.Message, error);
        }
    }

    /// <exception cref="BrokerStartException">A setting is out of range; the message names it.</exception>
    internal void Validate()
    {
        RequirePort(Port, nameof(Port));
        RequirePort(ManagementPort, nameof(ManagementPort));
        Require(
            Listen is "localhost" or "*" || IPAddress.TryParse(Listen, out _),
            nameof(Listen),
            $"must be localhost, * or an IP address, and is '{Listen}'"
        );
        Require(
            RequireTokens || IsOnLoopback,
            nameof(RequireTokens),
            $"(--no-auth) can be false on loopback only, and {Section}:{nameof(Listen)} (--listen) is '{Listen}': "
                + "beyond this machine clients need a key"
        );
        Require(DataFolder is not "", nameof(DataFolder), "must name a folder, and is empty");
        Require(CertificateFile is not "", nameof(CertificateFile), "must name a file, and is empty");
        Require(
            CertificateKeyFile is null || CertificateFile is not null,
            nameof(CertificateKeyFile),
            $"needs {Section}:{nameof(CertificateFile)} (--certificate): it is the key of that certificate"
        );
        Require(
            MaxLinks is >= 1 and <= ushort.MaxValue + 1,
            nameof(MaxLinks),
            $"must be 1 to {ushort.MaxValue + 1}, and is {MaxLinks}"
        );
        Require(MaxConnections >= 1, nameof(MaxConnections), $"must be at least 1, and is {MaxConnections}");
    }

    internal bool IsOnLoopback =>
        Listen == "localhost" || (IPAddress.TryParse(Listen, out var address) && IPAddress.IsLoopback(address));

    internal AmqpFrontEndOptions FrontEnd() =>
        new()
        {
            MaxConnections = MaxConnections,
            Connection = new() { MaxLinks = MaxLinks, ChannelMax = (ushort)(MaxLinks - 1) },
            DelaySettlementResponse = DelaySettlementResponse,
        };

    private static void RequirePort(int? port, string setting) =>
        Require(
            port is null or >= 0 and <= IPEndPoint.MaxPort,
            setting,
            $"must be 0 to {IPEndPoint.MaxPort}, and is {port}"
        );

    private static void Require(bool holds, string setting, string demand)
    {
        if (!holds)
            throw new BrokerStartException($"{Section}:{setting} {demand}.");
    }
}
