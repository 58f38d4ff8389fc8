using System.ComponentModel;
using DroneDelivery.Lab.Cluster;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;

namespace DroneDelivery.Lab.Report;

/// <summary>Processes, their logs, and two buttons that only the page itself may press: it has the token.</summary>
internal static class LiveResources
{
    public static void MapResources(this IEndpointRouteBuilder page, LiveRun run, string token)
    {
        page.MapGet("/resources", async (CancellationToken left) =>
            Results.Json(
                new
                {
                    MayChange = run.Processes?.Switch is not null,
                    Rows = run.Processes is { } processes ? await processes.ReadAsync(left) : [],
                }
            )
        );
        page.MapGet("/resources/{name}/log", async (string name, CancellationToken left) =>
            run.Processes is { } processes && await processes.LogAsync(name, left) is { } log
                ? Results.Text(log)
                : NoSuch(name)
        );
        var change = page.MapGroup("/resources/{name}")
            .AddEndpointFilter((context, next) => MayChange(context, next, token));
        change.MapPost("/stop", (string name, CancellationToken left) =>
            SwitchAsync(run, name, it => it.StopAsync(name, left))
        );
        change.MapPost("/start", (string name, CancellationToken left) =>
            SwitchAsync(run, name, it => it.StartAsync(name, left))
        );
    }

    private static async Task<IResult> SwitchAsync(
        LiveRun run,
        string name,
        Func<ReplicaSwitch, Task<SwitchResult>> act
    )
    {
        if (run.Processes is not { Switch: { } its } processes)
        {
            return Refused(
                "Replicas are stopped and started only while `./lab up` runs: a run would measure something else."
            );
        }

        try
        {
            return await act(its) switch
            {
                { IsKnown: false } => NoSuch(name),
                { WhyNot: { } why } => Refused(why),
                _ => Results.NoContent(),
            };
        }
        catch (Exception exception) when (exception is LabException or Win32Exception or IOException)
        {
            return Results.Problem(exception.Message, statusCode: StatusCodes.Status500InternalServerError);
        }
        finally
        {
            processes.Forget();
        }
    }

    private static IResult Refused(string why) => Results.Problem(why, statusCode: StatusCodes.Status409Conflict);

    private static ValueTask<object?> MayChange(
        EndpointFilterInvocationContext context,
        EndpointFilterDelegate next,
        string token
    ) =>
        context.HttpContext.Request is { Headers.Origin.Count: 1 } request
        && OtherSites.Knows(request, "X-Lab-Token", token)
            ? next(context)
            : ValueTask.FromResult<object?>(
                Results.Problem(
                    "Only the live page itself may stop and start replicas. Load it again.",
                    statusCode: StatusCodes.Status403Forbidden
                )
            );

    private static IResult NoSuch(string name) =>
        Results.Problem($"The application has no replica {name}.", statusCode: StatusCodes.Status404NotFound);
}
