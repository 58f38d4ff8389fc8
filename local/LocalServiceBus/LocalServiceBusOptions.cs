using System.Net;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Wire;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace DroneDelivery.LocalServiceBus;

/// <summary>The settings of a broker, bound from the configuration section <see cref="Section"/>.</summary>
public sealed class LocalServiceBusOptions
{
    public const string Section = "ServiceBus";

    // The environment variable with the path of the official emulator's configuration file.
    private const string ConfigVariable = "CONFIG_PATH";

    private const int PlainPort = 5672,
        TlsPort = 5671;

    /// <summary>The TCP port for AMQP and the HTTP management API. <c>null</c> for 5672, or 5671 with TLS; 0 for an
    /// available port, on IPv4 only.</summary>
    public int? Port { get; set; }

    /// <summary>An additional port with the same protocols, for clients that expect the management API on a separate
    /// port, as in the official emulator (5300). <c>null</c> for none; 0 for an available port.</summary>
    public int? ManagementPort { get; set; }

    /// <summary><c>true</c> if the port accepts only TLS connections.</summary>
    public bool Tls { get; set; }

    /// <summary>A PEM file with the TLS certificate and optional intermediate certificates. Enables TLS. By default,
    /// the broker creates a certificate for localhost and the name of the machine in the data folder.</summary>
    public string? CertificateFile { get; set; }

    /// <summary>A PEM file with the private key; <c>null</c> if <see cref="CertificateFile"/> contains it.</summary>
    public string? CertificateKeyFile { get; set; }

    internal Uri LocalAddress()
    {
        var host = IPAddress.TryParse(Listen, out var address) && !IsAny(address) ? address.ToString() : "localhost";
        return new UriBuilder(UsesTls ? "https" : "http", host, PortToOpen).Uri;
    }

    private static bool IsAny(IPAddress address) => address.Equals(IPAddress.Any) || address.Equals(IPAddress.IPv6Any);

    internal int PortToOpen => Port ?? (UsesTls ? TlsPort : PlainPort);

    internal bool UsesTls => Tls || CertificateFile is not null;

    /// <summary>The address to listen on: <c>localhost</c> (IPv4 and IPv6 loopback), <c>*</c> (all interfaces, as
    /// containers need), or an IP address. The default key is public, so use other addresses than loopback only in
    /// closed networks or with your own rules.</summary>
    public string Listen { get; set; } = "localhost";

    /// <summary>A file that declares queues and topics, in the format of the official emulator's Config.json.</summary>
    public string? ConfigFile { get; set; }

    /// <summary>Queues to create with default options if they don't exist.</summary>
    public IList<string> QueueNames { get; } = [];

    /// <summary>The folder for queues and messages; <c>null</c> for memory only. With a folder, acknowledged messages
    /// survive a restart.</summary>
    public string? DataFolder { get; set; }

    /// <summary><c>true</c> if clients need a token or key; <c>false</c> for full access without one, on loopback
    /// only.</summary>
    public bool RequireTokens { get; set; } = true;

    /// <summary>The maximum number of links and sessions per AMQP connection, from 1 to 65536. SDKs create one session
    /// per link. A session processor uses two links for each message session.</summary>
    public int MaxLinks { get; set; } = 5000;

    /// <summary>The maximum number of AMQP connections, at least 1. Further clients receive
    /// amqp:resource-limit-exceeded.</summary>
    public int MaxConnections { get; set; } = 5000;

    /// <summary>The initial queues, replacing those of <see cref="ConfigFile"/>; <c>null</c> to use the file. Can only
    /// be set in code.</summary>
    public IReadOnlyList<QueueOptions>? Queues { get; init; }

    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <summary>The clock for token expiry: by default the system clock, even if <see cref="TimeProvider"/> is another
    /// one, because clients create tokens with it.</summary>
    public TimeProvider TokenTimeProvider { get; init; } = TimeProvider.System;

    public ILoggerFactory LoggerFactory { get; init; } = NullLoggerFactory.Instance;

    /// <inheritdoc cref="AmqpFrontEndOptions.DelaySettlementResponse"/>
    internal Action<Action>? DelaySettlementResponse { get; set; }

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

    internal void Validate()
    {
        RequirePort(Port, nameof(Port));
        RequirePort(ManagementPort, nameof(ManagementPort));
        Require(
            Listen is "localhost" or "*" || IPAddress.TryParse(Listen, out _),
            nameof(Listen),
            $"must be localhost, *, or an IP address, but is '{Listen}'"
        );
        Require(
            RequireTokens || IsOnLoopback,
            nameof(RequireTokens),
            $"(--no-auth) can only be false on loopback, but {Section}:{nameof(Listen)} (--listen) is '{Listen}': "
                + "clients on other machines need a key"
        );
        Require(DataFolder is not "", nameof(DataFolder), "must not be empty");
        Require(CertificateFile is not "", nameof(CertificateFile), "must not be empty");
        Require(
            CertificateKeyFile is null || CertificateFile is not null,
            nameof(CertificateKeyFile),
            $"requires {Section}:{nameof(CertificateFile)} (--certificate)"
        );
        Require(
            MaxLinks is >= 1 and <= ushort.MaxValue + 1,
            nameof(MaxLinks),
            $"must be from 1 to {ushort.MaxValue + 1}, but is {MaxLinks}"
        );
        Require(MaxConnections >= 1, nameof(MaxConnections), $"must be at least 1, but is {MaxConnections}");
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
            $"must be from 0 to {IPEndPoint.MaxPort}, but is {port}"
        );

    private static void Require(bool holds, string setting, string demand)
    {
        if (!holds)
            throw new BrokerStartException($"{Section}:{setting} {demand}.");
    }
}
