using System.Threading.RateLimiting;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Telemetry.Query;
using DroneDelivery.Telemetry.Tables;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace DroneDelivery.Lab.Report;

/// <summary>Where a query is wrong, why, and what to do about it: <see cref="KqlException"/> for the page.</summary>
internal sealed record Mistake(int Line, int Column, string Reason, string? Hint);

/// <summary>Queries of those who look at a page: one at a time, so that a careless one costs a core at most.</summary>
/// <param name="now">The end of queries that specify none.</param>
internal sealed class ViewerQueries(Func<RunTelemetry> telemetry, QueryLimits limits, Func<DateTimeOffset> now)
    : IDisposable
{
    private const long LongestQuery = 64 * 1024;
    private readonly ConcurrencyLimiter _one = new(new() { PermitLimit = 1, QueueLimit = int.MaxValue });

    /// <summary>The limits while a run is measured on the same machine, low enough not to disturb it.</summary>
    public static QueryLimits BesideRun { get; } =
        new()
        {
            Time = TimeSpan.FromSeconds(2),
            ResultRows = 50_000,
            JoinRows = 500_000,
            HeldValues = 5_000_000,
            Characters = 20_000_000,
        };

    public async Task<IResult> AnswerAsync(HttpRequest request, CancellationToken cancellationToken)
    {
        if (request.ContentLength is null or > LongestQuery)
        {
            return Results.Text(
                $"A query has at most {LongestQuery:N0} bytes.",
                statusCode: StatusCodes.Status413PayloadTooLarge
            );
        }

        using var reader = new StreamReader(request.Body);
        var text = await reader.ReadToEndAsync(cancellationToken);
        return await AnswerAsync(
            asked =>
                Results.Content(
                    AnswerPage
                        .Render(
                            asked.AskAll(KqlQuery.Parse(text, allowPartial: true), now(), limits, cancellationToken)
                        )
                        .Markup,
                    "text/html; charset=utf-8"
                ),
            cancellationToken
        );
    }

    /// <summary>Answers when those who asked before have been answered.</summary>
    /// <param name="ask">Runs within the limits.</param>
    public async Task<IResult> AnswerAsync(Func<RunTelemetry, IResult> ask, CancellationToken cancellationToken)
    {
        using var turn = await _one.AcquireAsync(1, cancellationToken);
        try
        {
            return ask(telemetry());
        }
        catch (KqlException exception)
        {
            return Results.Json(
                new Mistake(exception.Line, exception.Column, exception.Reason, exception.Hint),
                statusCode: StatusCodes.Status400BadRequest
            );
        }
    }

    public void Dispose() => _one.Dispose();
}

/// <summary>The tables and the queries of a page that the lab serves.</summary>
internal static class AskEndpoints
{
    /// <param name="queries">Ends with the host.</param>
    /// <returns>A group for the page itself, with what keeps other web sites out.</returns>
    public static RouteGroupBuilder MapAsking(
        this WebApplication app,
        Func<RunTelemetry> telemetry,
        ViewerQueries queries
    )
    {
        app.Services.GetRequiredService<IHostApplicationLifetime>().ApplicationStopped.Register(queries.Dispose);
        var page = app.MapGroup("").AddEndpointFilter(OtherSites.Refuse).AddEndpointFilter(OtherSites.NobodysFrame);
        page.MapGet("/schema", () =>
            telemetry()
                .Schemas.ToDictionary(
                    schema => schema.Name,
                    schema => schema.Columns.ToDictionary(column => column.Name, column => column.Type.KqlName())
                )
        );
        page.MapPost("/query", (HttpRequest request, CancellationToken left) => queries.AnswerAsync(request, left));
        return page;
    }
}
