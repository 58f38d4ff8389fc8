using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Page;
using DroneDelivery.LocalServiceBus.Wire;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.HttpResults;
using Microsoft.AspNetCore.Routing;

namespace DroneDelivery.LocalServiceBus.Admin;

internal static class PageApi
{
    private const string Purge = "/$purge",
        Replay = "/$replay",
        Send = "/$send";

    public static readonly string[] Reads = ["/", "/$messages"];

    public static void MapPage(this IEndpointRouteBuilder routes)
    {
        routes.MapGet("/", (HttpResponse response) => PageFile.Show(response));
        routes.MapGet("/$messages", Peek);
        routes.MapPost("/{**path}", Act);
    }

    public static string? ActionOf(string path) =>
        new[] { Purge, Replay, Send }.FirstOrDefault(action =>
            path.EndsWith(action, StringComparison.OrdinalIgnoreCase)
        );

    private static IResult Peek(string entity, ServiceBusNamespace entities, long from = 0) =>
        EntityAddress.Parse(entity).FindStore(entities) is { } queue
            ? TypedResults.Json(ShownMessage.Of(queue, from))
            : NotFound(EntityException.NotFoundText(entity));

    private static async Task<IResult> Act(
        string path,
        ServiceBusNamespace entities,
        HttpRequest request,
        CancellationToken cancellationToken
    )
    {
        var action = ActionOf(path);
        var address = EntityAddress.Parse(path[..^(action?.Length ?? 0)]);
        var answer = (action, address.FindStore(entities)) switch
        {
            (Purge, { } queue) => TypedResults.Json(new { purged = queue.Purge() }),
            (Replay, { } queue) when address.IsDeadLetter => await ReplayAsync(
                queue,
                entities.FindSource(address.Path)!,
                entities.Journal,
                request,
                cancellationToken
            ),
            (Send, not null) when address.FindTarget(entities) is { } target => await SendAsync(
                target,
                request,
                cancellationToken
            ),
            _ => NotFound(
                $"Cannot POST to '{path}'. To purge a queue, POST to QUEUE{Purge}; to replay its dead letters, to "
                    + $"QUEUE/$DeadLetterQueue{Replay}; to send a message, to QUEUE{Send}."
            ),
        };
        await entities.StoredAsync().WaitAsync(cancellationToken);
        return answer;
    }

    private static async Task<IResult> ReplayAsync(
        Queue deadLetters,
        Queue target,
        IJournal journal,
        HttpRequest request,
        CancellationToken cancellationToken
    )
    {
        long? only = long.TryParse(request.Query["sequenceNumber"], out var number) ? number : null;
        var replay = new Page.Replay(deadLetters, target, journal, only);
        await replay.RunAsync(cancellationToken);
        var why = replay.Result == QueueResult.Done ? null : ClientErrors.Of(replay.Result, target).Description;
        return TypedResults.Json(new { replay.Replayed, why });
    }

    private static async Task<IResult> SendAsync(Queue target, HttpRequest request, CancellationToken cancellationToken)
    {
        var written = await request.ReadFromJsonAsync<WrittenMessage>(cancellationToken);
        return written?.Send(target) is { } error
            ? TypedResults.Problem(error.Description, statusCode: StatusCodes.Status400BadRequest)
            : TypedResults.Json(new { sent = 1 });
    }

    private static ProblemHttpResult NotFound(string detail) =>
        TypedResults.Problem(detail, statusCode: StatusCodes.Status404NotFound);
}
