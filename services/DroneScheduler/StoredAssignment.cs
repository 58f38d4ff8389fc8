using System.Text.Json;
using DroneDelivery.Contracts;

namespace DroneDelivery.DroneScheduler;

/// <summary>A row: the assignment as JSON, the fingerprint of the PUT, and its delivery request, if specified.</summary>
internal sealed record StoredAssignment(string Json, string Request, string? MadeFor, long Attempt)
{
    public DroneAssignment Assignment { get; } =
        JsonSerializer.Deserialize<DroneAssignment>(Json, ContractJson.Options)!;

    public bool IsCreatedBy(AssignmentRequest request) => MadeFor == request.Key && Attempt <= request.Attempt;

    /// <summary>Returns <c>false</c> if the assignment belongs to another delivery request.</summary>
    public bool CanBelongTo(AssignmentRequest? request) => MadeFor is null || request is null || MadeFor == request.Key;
}
