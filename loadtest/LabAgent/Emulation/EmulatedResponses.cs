using System.Globalization;
using DroneDelivery.ServiceDefaults.Errors;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Options;

namespace DroneDelivery.LabAgent.Emulation;

/// <summary>The emulated responses of a store: delayed by the configured log-normal latency, or errors. Thread-safe.</summary>
internal sealed class EmulatedResponses(IOptions<EmulationOptions> options)
{
    private readonly LatencyOptions? _latency = options.Value.Latency;
    private readonly Random _latencies = new(options.Value.Seed ?? Environment.ProcessId);
    private readonly Random _errors = new(options.Value.Seed ?? Environment.ProcessId);
    private readonly Lock _lock = new();
    private double _slowness = 1,
        _errorShare;

    public bool HasLatency => _latency is not null;

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

    /// <returns>The error that replaces the endpoint's response, or <c>null</c>.</returns>
    public DependencyUnavailableException? NextError()
    {
        lock (_lock)
        {
            return _errorShare > 0 && _errors.NextDouble() < _errorShare
                ? new(
                    "urn:drone-delivery:emulated-error",
                    "An emulated error",
                    "Requested by the lab.",
                    TimeSpan.FromSeconds(1)
                )
                : null;
        }
    }

    /// <summary><c>POST /$slowness?factor=10</c>: multiplies each later latency.</summary>
    public Task SlowAsync(HttpContext context) => SetAsync(context, "factor", 0.001, 1000, ref _slowness);

    /// <summary><c>POST /$errors?share=0.3</c>: turns a random share of later responses into 503.</summary>
    public Task FailAsync(HttpContext context) => SetAsync(context, "share", 0, 1, ref _errorShare);

    /// <summary>Responds with 204, or with 400 if the number is invalid.</summary>
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
