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

/// <summary>A <see cref="KqlException"/>, for the page.</summary>
internal sealed record Mistake(int Line, int Column, string Reason, string? Hint);

/// <summary>Queries of a page's viewers, run one at a time so that they use at most one core.</summary>
/// <param name="now">Returns the end of queries that don't specify one.</param>
internal sealed class ViewerQueries(Func<RunTelemetry> telemetry, QueryLimits limits, Func<DateTimeOffset> now)
    : IDisposable
{
    private const long LongestQuery = 64 * 1024;
    private readonly ConcurrencyLimiter _one = new(new() { PermitLimit = 1, QueueLimit = int.MaxValue });

    /// <summary>The limits during a run, low enough not to disturb the measurement.</summary>
    public static QueryLimits DuringRun { get; } =
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

internal static class AskEndpoints
{
    /// <returns>A group for the page itself, which rejects requests of other websites.</returns>
    public static RouteGroupBuilder MapAsking(
        this WebApplication app,
        Func<RunTelemetry> telemetry,
        ViewerQueries queries
    )
    {
        app.Services.GetRequiredService<IHostApplicationLifetime>().ApplicationStopped.Register(queries.Dispose);
        var page = app.MapGroup("").AddEndpointFilter(OtherSites.Reject).AddEndpointFilter(OtherSites.DenyFraming);
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
