using System.Net;
using DroneDelivery.Contracts;
using DroneDelivery.DroneScheduler;
using DroneDelivery.Package;

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

    /// <summary>One replica undoes the request that made a package, and its owner asks the other for the same package.</summary>
    public static async Task KeepWhatItsOwnerAsksForAsync(
        ServiceHost<PackageStore> first, ServiceHost<PackageStore> second, string run, int rounds)
    {
        using var a = first.CreateClient();
        using var b = second.CreateClient();
        var package = new PackageUpsert { OwnerId = $"owner-{run}", Size = PackageSize.Small, Weight = 1 };
        for (var round = 0; round < rounds; round++)
        {
            var path = $"/api/packages/{run}-{round}";
            (await a.PutAsync($"{path}?ifAbsent=true&for=r{run}-{round}", package)).EnsureSuccessStatusCode();

            var answers = await Task.WhenAll(
                a.SendAsync(HttpMethod.Delete, $"{path}/requests/r{run}-{round}"), b.PutAsync(path, package));

            Assert.All(answers, answer => answer.EnsureSuccessStatusCode());
            Assert.Equal(HttpStatusCode.OK, await a.StatusAsync(path));
        }
    }

    private static async Task<(HttpStatusCode Status, DroneAssignment Assignment)> AssignAsync(HttpClient http, string id)
    {
        using var response = await http.PutAsync($"/api/dronedeliveries/{id}", Flights.Sample);
        return (
            response.StatusCode,
            await response.ReadAsync<DroneAssignment>(response.IsSuccessStatusCode ? response.StatusCode : HttpStatusCode.OK));
    }
}
