using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.ServiceDefaults.Responses;

/// <summary>How many API requests this process has answered, and how many of them with 5xx: what a load test asks every replica.</summary>
internal sealed class ResponseCounts
{
    private long _responses, _serverErrors;

    public void Count(int status)
    {
        Interlocked.Increment(ref _responses);
        if (status >= StatusCodes.Status500InternalServerError)
            Interlocked.Increment(ref _serverErrors);
    }

    public object Read() => new { responses = Interlocked.Read(ref _responses), serverErrors = Interlocked.Read(ref _serverErrors) };
}

internal static class ResponseCountsSetup
{
    /// <summary>Call it first: what comes after it may still change the status.</summary>
    public static void UseResponseCounts(this WebApplication app)
    {
        var counts = new ResponseCounts();
        app.UseWhen(context => context.Request.Path.StartsWithSegments("/api"), api => api.Use(async (context, next) =>
        {
            await next(context);
            counts.Count(context.Response.StatusCode);
        }));
        app.MapGet("/$responses", counts.Read).ExcludeFromDescription();
    }
}
