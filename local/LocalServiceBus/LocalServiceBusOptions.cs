using System.Net;
using DroneDelivery.LocalServiceBus.Wire;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace DroneDelivery.LocalServiceBus;

/// <summary>What a broker is told at its start. Bound from the configuration section <see cref="Section"/>.</summary>
public sealed class LocalServiceBusOptions
{
    public const string Section = "ServiceBus";

    private static readonly string[] Settings =
    [
        nameof(Port), nameof(Listen), nameof(ConfigFile), nameof(DataFolder),
        $"{nameof(SettlementLatency)}:Mu", $"{nameof(SettlementLatency)}:Sigma", nameof(Seed),
    ];

    /// <summary>TCP port of AMQP and of the HTTP management API. Zero takes a free one, on IPv4 only.</summary>
    public int Port { get; set; } = 5672;

    /// <summary>Where to listen: <c>localhost</c> (IPv4 and IPv6 loopback), <c>*</c> (every interface: what a container needs) or
    /// one IP address. Nothing checks who connects, so anything but loopback is for closed networks.</summary>
    public string Listen { get; set; } = "localhost";

    /// <summary>A file in the format of the official emulator's Config.json that declares the queues; without one there are
    /// those of the application, <c>delivery-requests</c> and <c>delivery-requests-failed</c>.</summary>
    public string? ConfigFile { get; set; }

    /// <summary>Where the broker keeps queues and messages; null: in memory alone. What it has acknowledged is on the disk then.</summary>
    public string? DataFolder { get; set; }

    /// <summary>The emulated round trip of a settlement to a distant service; null: answer at once.</summary>
    public LatencyOptions? SettlementLatency { get; set; }

    /// <summary>Equal seeds draw equal latencies.</summary>
    public int Seed { get; set; } = 1;

    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    public ILoggerFactory LoggerFactory { get; init; } = NullLoggerFactory.Instance;

    /// <exception cref="BrokerStartException">A setting is unknown, of the wrong type or out of range; the message names it.</exception>
    public static LocalServiceBusOptions From(IConfiguration configuration)
    {
        var section = configuration.GetSection(Section);
        RequireKnown(section);
        try
        {
            var options = section.Get<LocalServiceBusOptions>() ?? new LocalServiceBusOptions();
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
        Require(Port is >= 0 and <= IPEndPoint.MaxPort, nameof(Port), $"must be 0 to {IPEndPoint.MaxPort}, and is {Port}");
        Require(
            Listen is "localhost" or "*" || IPAddress.TryParse(Listen, out _),
            nameof(Listen),
            $"must be localhost, * or an IP address, and is '{Listen}'");
        Require(DataFolder is not "", nameof(DataFolder), "must name a folder, and is empty");
        if (SettlementLatency is not { } latency)
            return;
        Require(double.IsFinite(latency.Mu ?? double.NaN), "SettlementLatency:Mu", "must be a number: the mean of ln(milliseconds)");
        Require(
            latency.Sigma is >= 0 and < double.PositiveInfinity,
            "SettlementLatency:Sigma",
            "must be a number from 0: the standard deviation of ln(milliseconds)");
    }

    internal AmqpFrontEndOptions FrontEnd() => new()
    {
        SettlementLatency = SettlementLatency is { Mu: { } mu, Sigma: { } sigma } ? new SettlementLatencyOptions(mu, sigma, Seed) : null,
    };

    // The framework's binder passes over what it does not know: a misspelt setting would be one that nobody misses.
    private static void RequireKnown(IConfigurationSection section)
    {
        foreach (var (setting, value) in section.AsEnumerable(makePathsRelative: true))
        {
            Require(
                value is null || Settings.Contains(setting, StringComparer.OrdinalIgnoreCase),
                setting,
                $"is unknown; there are {string.Join(", ", Settings)}");
        }
    }

    private static void Require(bool holds, string setting, string demand)
    {
        if (!holds)
            throw new BrokerStartException($"{Section}:{setting} {demand}.");
    }
}

/// <summary>A log-normal latency; both values or none.</summary>
public sealed class LatencyOptions
{
    /// <summary>Mean of ln(milliseconds).</summary>
    public double? Mu { get; set; }

    /// <summary>Standard deviation of ln(milliseconds).</summary>
    public double? Sigma { get; set; }
}
