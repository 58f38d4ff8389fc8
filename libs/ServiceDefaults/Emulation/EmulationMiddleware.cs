using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using DroneDelivery.ServiceDefaults.Configuration;

namespace DroneDelivery.ServiceDefaults.Emulation;

/// <summary>
/// The node and the store that a request would meet in a cluster. One sample of the latency starts when the request arrives; the answer,
/// an error included, does not start before it has passed. What the request really takes counts towards it.
/// </summary>
internal sealed class EmulationMiddleware(RequestDelegate next, EmulatedLatency latency, TimeProvider time)
{
    public Task InvokeAsync(HttpContext context)
    {
        var arrived = time.GetTimestamp();
        var sample = latency.Next();
        context.Response.OnStarting(() => RemainderOf(sample, arrived, context.RequestAborted));
        // The CPU gate of a virtual node goes around this call: inside the measured time, so that waiting for it counts towards the sample.
        return next(context);
    }

    private Task RemainderOf(TimeSpan sample, long arrived, CancellationToken aborted)
    {
        var remainder = sample - time.GetElapsedTime(arrived);
        return remainder > TimeSpan.Zero ? Task.Delay(remainder, time, aborted) : Task.CompletedTask;
    }
}

internal static class EmulationSetup
{
    public static void AddEmulation(this IServiceCollection services) =>
        services.AddValidatedOptions<EmulationOptions>(EmulationOptions.Section);

    /// <summary>Emulates on API routes alone: probes and documents are not what the stages measure.</summary>
    public static void UseEmulation(this WebApplication app)
    {
        app.UseWhen(context => context.Request.Path.StartsWithSegments("/api"), api =>
        {
            var options = app.Services.GetRequiredService<IOptions<EmulationOptions>>().Value;
            if (options.Latency is { Mu: { } mu, Sigma: { } sigma })
                api.UseMiddleware<EmulationMiddleware>(new EmulatedLatency(mu, sigma, options.Seed ?? Environment.ProcessId));
        });
    }
}
