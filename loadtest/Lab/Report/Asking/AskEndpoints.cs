using DroneDelivery.Lab.Measure;
using DroneDelivery.Telemetry.Tables;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace DroneDelivery.Lab.Report;

/// <summary>What a page asks the lab that it came from: its tables, queries, lists and transactions.</summary>
internal static class AskEndpoints
{
    /// <param name="queries">Ends with the host.</param>
    /// <returns>A group for the page itself, with what keeps other web sites out.</returns>
    public static RouteGroupBuilder MapAsking(this WebApplication app, Func<RunTelemetry> telemetry, ViewerQueries queries)
    {
        app.Services.GetRequiredService<IHostApplicationLifetime>().ApplicationStopped.Register(queries.Dispose);
        var page = app.MapGroup("").AddEndpointFilter(OtherSites.Refuse).AddEndpointFilter(OtherSites.NobodysFrame);
        page.MapGet("/schema", () => telemetry().Schemas.ToDictionary(
            schema => schema.Name, schema => schema.Columns.ToDictionary(column => column.Name, column => column.Type.KqlName())));
        page.MapPost("/query", (HttpRequest request, CancellationToken left) => queries.AnswerAsync(request, left));
        var lists = new ViewerLists(queries);
        page.MapGet("/browse", (HttpRequest request, CancellationToken left) => lists.ListAsync(request, left));
        page.MapGet("/transaction", (string? operation, CancellationToken left) => lists.TransactionAsync(operation, left));
        return page;
    }
}
