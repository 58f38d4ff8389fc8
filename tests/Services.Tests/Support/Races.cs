using System.Net;
using DroneDelivery.Contracts;
using DroneDelivery.DroneScheduler;

namespace DroneDelivery.Services.Tests.Support;

internal static class Races
{
    private const int Deliveries = 60;

    /// <summary>Both replicas get every request twice, all at the same time.</summary>
    public static async Task GiveEachDeliveryOneDroneAsync(
        ServiceHost<AssignmentStore> first, ServiceHost<AssignmentStore> second, string run)
    {
        var calls = Enumerable.Range(0, Deliveries)
            .SelectMany(i => new[] { first.Http, second.Http, second.Http, first.Http }.Select(http => AssignAsync(http, $"{run}-{i}")))
            .ToList();
        var answers = await Task.WhenAll(calls);

        Assert.Equal(Deliveries, answers.Count(answer => answer.Status == HttpStatusCode.Created));
        foreach (var delivery in answers.GroupBy(answer => answer.Assignment.DeliveryId))
            Assert.Single(delivery.Select(answer => answer.Assignment).Distinct());
    }

    private static async Task<(HttpStatusCode Status, DroneAssignment Assignment)> AssignAsync(HttpClient http, string id)
    {
        using var response = await http.PutAsync($"/api/dronedeliveries/{id}", Flights.Sample);
        return (
            response.StatusCode,
            await response.ReadAsync<DroneAssignment>(response.IsSuccessStatusCode ? response.StatusCode : HttpStatusCode.OK));
    }
}
