using System.Net;
using DroneDelivery.Contracts;

namespace DroneDelivery.Services.Tests.DroneScheduler;

public sealed class UndoDroneTests : WithDrones
{
    [Fact]
    public async Task Compensated_request_gets_a_drone_only_with_a_newer_attempt()
    {
        await UndoAsync("d1", "r1", attempt: 1);

        foreach (var attempt in new[] { 0, 1 })
            Assert.Equal("urn:drone-delivery:failed", await ConflictAsync("d1", "r1", attempt));
        Assert.Equal(0, (await Http.GetAsync<DroneDetails[]>("/api/drones")).Sum(drone => drone.Assigned));
        await AssignAsync("d1", "r1", attempt: 2);
    }

    [Fact]
    public async Task Late_compensation_keeps_the_result_of_a_newer_attempt()
    {
        await AssignAsync("d1", "r1");
        using var replay = await PutAsync("d1", "r1", attempt: 1);
        Assert.Equal(HttpStatusCode.OK, replay.StatusCode);

        await UndoAsync("d1", "r1");
        Assert.Equal(HttpStatusCode.OK, await Http.StatusAsync("/api/dronedeliveries/d1"));

        await UndoAsync("d1", "r1", attempt: 1);
        Assert.Equal(HttpStatusCode.NotFound, await Http.StatusAsync("/api/dronedeliveries/d1"));
    }

    [Fact]
    public async Task Conflicting_request_cannot_get_or_release_the_drone()
    {
        var assigned = await AssignAsync("d1", "r1");
        var ofNoRequest = await Http.AssignAsync("d2", Flights.Sample);

        Assert.Equal("urn:drone-delivery:other-request", await ConflictAsync("d1", "r2"));
        foreach (var id in new[] { "d1", "d2" })
            await UndoAsync(id, "r2");

        Assert.Equal(assigned, await Http.GetAsync<DroneAssignment>("/api/dronedeliveries/d1"));
        Assert.Equal(ofNoRequest, await Http.GetAsync<DroneAssignment>("/api/dronedeliveries/d2"));
        Assert.Equal(2, (await Http.GetAsync<DroneDetails[]>("/api/drones")).Sum(drone => drone.Assigned));
    }

    private Task<HttpResponseMessage> PutAsync(string id, string request, int attempt = 0) =>
        Http.PutAsync($"/api/dronedeliveries/{id}?for={request}&attempt={attempt}", Flights.Sample);

    private Task<DroneAssignment> AssignAsync(string id, string request, int attempt = 0) =>
        Http.AssignAsync($"{id}?for={request}&attempt={attempt}", Flights.Sample);

    private async Task<string?> ConflictAsync(string id, string request, int attempt = 0)
    {
        using var response = await PutAsync(id, request, attempt);
        return await response.ReadProblemTypeAsync(HttpStatusCode.Conflict);
    }

    private async Task UndoAsync(string id, string request, int attempt = 0)
    {
        using var response = await Http.SendAsync(
            HttpMethod.Delete,
            $"/api/dronedeliveries/{id}/requests/{request}?attempt={attempt}"
        );
        Assert.Equal(HttpStatusCode.NoContent, response.StatusCode);
    }
}
