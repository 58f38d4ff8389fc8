using System.Collections.Concurrent;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.ServiceDefaults.Responses;

/// <summary>
/// How many API requests this process has answered, how many of them with 5xx, and for which causes (problem type → count): what a load
/// test asks every replica.
/// </summary>
internal sealed class ResponseCounts
{
    private static readonly object CauseKey = new();
    private readonly ConcurrentDictionary<string, long> _causes = [];
    private long _responses, _serverErrors;

    /// <summary>Says why the answer that is being made is a 5xx.</summary>
    public static void SetCause(HttpContext context, string problemType) => context.Items[CauseKey] = problemType;

    public void Count(HttpContext context)
    {
        Interlocked.Increment(ref _responses);
        if (context.Response.StatusCode < StatusCodes.Status500InternalServerError)
            return;
        Interlocked.Increment(ref _serverErrors);
        if (context.Items[CauseKey] is string cause)
            _causes.AddOrUpdate(cause, 1, (_, count) => count + 1);
    }

    public object Read() => new
    {
        responses = Interlocked.Read(ref _responses),
        serverErrors = Interlocked.Read(ref _serverErrors),
        causes = _causes,
    };
}

internal static class ResponseCountsSetup
{
    public const string Route = "/$responses";

    /// <summary>Call it first: what comes after it may still change the status.</summary>
    public static void UseResponseCounts(this WebApplication app)
    {
        var counts = new ResponseCounts();
        app.UseWhen(context => context.Request.Path.StartsWithSegments("/api"), api => api.Use(async (context, next) =>
        {
            await next(context);
            counts.Count(context);
        }));
        app.MapGet(Route, counts.Read).ExcludeFromDescription();
    }
}
