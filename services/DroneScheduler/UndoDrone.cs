using System.ComponentModel.DataAnnotations;
using DroneDelivery.Contracts;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.DroneScheduler;

/// <summary>Compensates a delivery request: deletes its assignment, releases the drone's time, and rejects late attempts.</summary>
internal static class UndoDrone
{
    /// <summary><c>DELETE /api/dronedeliveries/{id}/requests/{request}</c>: 204, also without effect.</summary>
    public static Task<NoContent> HandleAsync(
        [Id] string id,
        [Id] string request,
        [Range(0, int.MaxValue)] int? attempt,
        AssignmentStore assignments,
        CancellationToken cancellationToken
    )
    {
        var failed = new AssignmentRequest(request, attempt ?? 0);
        return assignments.ChangeAsync(
            id,
            async change =>
            {
                await change.FailAsync(failed);
                if (await change.FindAsync(id) is { } stored && stored.IsCreatedBy(failed))
                {
                    if (!stored.Assignment.Cancelled)
                        await ReleaseDrone.ReleaseAsync(change, stored.Assignment);
                    await change.DeleteAsync(id);
                }
                return TypedResults.NoContent();
            },
            cancellationToken
        );
    }
}
