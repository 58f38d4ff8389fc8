using System.Globalization;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Options;

namespace DroneDelivery.LabAgent.Emulation;

/// <summary>Samples of the log-normal latency that is configured. Thread-safe.</summary>
internal sealed class EmulatedLatency(IOptions<EmulationOptions> options)
{
    /// <summary>Where the lab says how slow the service is: <c>POST /$slowness?factor=10</c>.</summary>
    public const string Route = "/$slowness";

    private readonly LatencyOptions? _latency = options.Value.Latency;
    private readonly Random _random = new(options.Value.Seed ?? Environment.ProcessId);
    private readonly Lock _lock = new();
    private double _factor = 1;

    public bool IsOn => _latency is not null;

    public TimeSpan Next() =>
        TimeSpan.FromMilliseconds(Volatile.Read(ref _factor) * Math.Exp(_latency!.Mu!.Value + _latency.Sigma!.Value * NextNormal()));

    /// <summary>From now on each sample is so many times as long. Answers 204, or 400 to what is no factor.</summary>
    public Task SlowAsync(HttpContext context)
    {
        var isFactor = double.TryParse(context.Request.Query["factor"], NumberStyles.Float, CultureInfo.InvariantCulture, out var factor)
            && factor is > 0 and <= 1000;
        if (isFactor)
            Volatile.Write(ref _factor, factor);
        context.Response.StatusCode = isFactor ? StatusCodes.Status204NoContent : StatusCodes.Status400BadRequest;
        return Task.CompletedTask;
    }

    // Box–Muller: two uniform numbers give one standard normal number.
    private double NextNormal()
    {
        lock (_lock)
        {
            var radius = Math.Sqrt(-2 * Math.Log(1 - _random.NextDouble()));
            return radius * Math.Cos(2 * Math.PI * _random.NextDouble());
        }
    }
}
