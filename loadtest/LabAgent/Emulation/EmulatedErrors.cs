using System.Globalization;
using DroneDelivery.ServiceDefaults.Errors;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Options;

namespace DroneDelivery.LabAgent.Emulation;

/// <summary>Answers 503 to a share of the requests, at random. None until the lab says so.</summary>
internal sealed class EmulatedErrors(IOptions<EmulationOptions> options)
{
    /// <summary>Where it does: <c>POST /$errors?share=0.3</c>.</summary>
    public const string Route = "/$errors";

    private readonly Random _random = new(options.Value.Seed ?? Environment.ProcessId);
    private readonly Lock _lock = new();
    private double _share;

    /// <returns>What the endpoint throws instead; null: nothing.</returns>
    public DependencyUnavailableException? Next()
    {
        lock (_lock)
        {
            return _share > 0 && _random.NextDouble() < _share
                ? new("urn:drone-delivery:emulated-error", "An emulated error", "The lab asked for it.", TimeSpan.FromSeconds(1))
                : null;
        }
    }

    /// <summary>From now on this share of the answers are errors. Answers 204, or 400 to what is no share.</summary>
    public Task SetAsync(HttpContext context)
    {
        var isShare = double.TryParse(context.Request.Query["share"], NumberStyles.Float, CultureInfo.InvariantCulture, out var share)
            && share is >= 0 and <= 1;
        lock (_lock)
            _share = isShare ? share : _share;
        context.Response.StatusCode = isShare ? StatusCodes.Status204NoContent : StatusCodes.Status400BadRequest;
        return Task.CompletedTask;
    }
}
