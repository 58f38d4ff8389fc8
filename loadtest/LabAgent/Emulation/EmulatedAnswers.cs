using System.Globalization;
using DroneDelivery.ServiceDefaults.Errors;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Options;

namespace DroneDelivery.LabAgent.Emulation;

/// <summary>How the answers of the emulated store are: late by the log-normal latency that is configured, or errors. Thread-safe.</summary>
internal sealed class EmulatedAnswers(IOptions<EmulationOptions> options)
{
    private readonly LatencyOptions? _latency = options.Value.Latency;
    private readonly Random _latencies = new(options.Value.Seed ?? Environment.ProcessId);
    private readonly Random _errors = new(options.Value.Seed ?? Environment.ProcessId);
    private readonly Lock _lock = new();
    private double _slowness = 1,
        _errorShare;

    public bool HasLatency => _latency is not null;

    /// <summary>Box–Muller: two uniform numbers give one standard normal number.</summary>
    public TimeSpan NextLatency()
    {
        lock (_lock)
        {
            var radius = Math.Sqrt(-2 * Math.Log(1 - _latencies.NextDouble()));
            var normal = radius * Math.Cos(2 * Math.PI * _latencies.NextDouble());
            return TimeSpan.FromMilliseconds(
                _slowness * Math.Exp(_latency!.Mu!.Value + _latency.Sigma!.Value * normal)
            );
        }
    }

    /// <returns>What the endpoint throws instead of its answer; null: nothing.</returns>
    public DependencyUnavailableException? NextError()
    {
        lock (_lock)
        {
            return _errorShare > 0 && _errors.NextDouble() < _errorShare
                ? new(
                    "urn:drone-delivery:emulated-error",
                    "An emulated error",
                    "The lab asked for it.",
                    TimeSpan.FromSeconds(1)
                )
                : null;
        }
    }

    /// <summary><c>POST /$slowness?factor=10</c>: from now on each sample is so many times as long.</summary>
    public Task SlowAsync(HttpContext context) => SetAsync(context, "factor", 0.001, 1000, ref _slowness);

    /// <summary><c>POST /$errors?share=0.3</c>: from now on this share of the answers are 503, at random.</summary>
    public Task FailAsync(HttpContext context) => SetAsync(context, "share", 0, 1, ref _errorShare);

    /// <summary>Answers 204, or 400 to what is no such number.</summary>
    private Task SetAsync(HttpContext context, string name, double least, double most, ref double number)
    {
        var isOne =
            double.TryParse(
                context.Request.Query[name],
                NumberStyles.Float,
                CultureInfo.InvariantCulture,
                out var value
            )
            && value >= least
            && value <= most;
        lock (_lock)
            number = isOne ? value : number;
        context.Response.StatusCode = isOne ? StatusCodes.Status204NoContent : StatusCodes.Status400BadRequest;
        return Task.CompletedTask;
    }
}
