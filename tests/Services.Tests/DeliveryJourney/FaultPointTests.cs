using System.Net;
using DroneDelivery.Contracts;

namespace DroneDelivery.Services.Tests.DeliveryJourney;

public sealed class FaultPointTests
{
    // Forward and compensation make at most six calls, and one call is repeated.
    private const int Calls = 7;
    private const double TooHeavy = 41;

    [Fact]
    public async Task Request_completes_or_fails_as_a_whole_at_every_fault_point()
    {
        var faults = new FaultPoints();
        await using var application = await ApplicationUnderTest.StartAsync(new BreakCalls(faults.Decide));
        var requests = (
            from kind in new[] { "succeeds", "tooheavy", "takenpackage", "refusedatdelivery" }
            from end in new[] { CallEnd.NeverArrives, CallEnd.AnswerIsLost }
            from call in Enumerable.Range(0, Calls)
            select RequestOf(kind, FaultPoints.IdOf(kind, call, end))
        ).ToList();
        foreach (
            var request in requests.Where(request =>
                request.DeliveryId!.StartsWith("takenpackage", StringComparison.Ordinal)
            )
        )
        {
            var taken = new PackageUpsert
            {
                OwnerId = "owner-2",
                Size = PackageSize.Small,
                Weight = 1,
            };
            await application.Package.PutAsync($"/api/packages/{request.PackageInfo.PackageId}", taken);
        }

        var locations = await Task.WhenAll(requests.Select(application.RequestAsync));
        var ends = await Task.WhenAll(locations.Select(location => application.FollowAsync(location)));
        await application.QuietAsync();

        foreach (var (request, end) in requests.Zip(ends))
        {
            Assert.True(end.Stage == ExpectedOf(request), $"{request.DeliveryId} is {end.Stage}.");
            if (request.PackageInfo.Weight == TooHeavy)
            {
                Assert.Equal("urn:drone-delivery:no-suitable-drone", end.Failure!.Reason);
                Assert.Contains("No drone can carry", end.Failure.Detail, StringComparison.Ordinal);
            }
            await AssertAllOrNothingAsync(application, request, all: end.Stage == DeliveryStage.Created);
        }
        Assert.Equal(ends.Count(end => end.Stage == DeliveryStage.Created), await application.BookedFlightsAsync());
        Assert.Equal(ends.Count(end => end.Stage == DeliveryStage.Failed), application.Queue.Failed);
    }

    private static DeliveryStage ExpectedOf(DeliveryRequest request) =>
        request.DeliveryId!.StartsWith("succeeds", StringComparison.Ordinal)
        // Recorded, although Workflow got no response: it has succeeded.
        || request.DeliveryId == FaultPoints.IdOf("refusedatdelivery", call: 2, CallEnd.AnswerIsLost)
            ? DeliveryStage.Created
            : DeliveryStage.Failed;

    private static DeliveryRequest RequestOf(string kind, string id)
    {
        var request = SampleRequests.Delivery(id);
        return kind == "tooheavy"
            ? request with
            {
                PackageInfo = request.PackageInfo with { Weight = TooHeavy },
            }
            : request;
    }

    private static async Task AssertAllOrNothingAsync(
        ApplicationUnderTest application,
        DeliveryRequest request,
        bool all
    )
    {
        var packageOfRequest = $"/api/packages/{request.PackageInfo.PackageId}";
        var takenBefore = request.DeliveryId!.StartsWith("takenpackage", StringComparison.Ordinal);
        foreach (
            var (service, path, isThere) in new[]
            {
                (application.Package, packageOfRequest, all || takenBefore),
                (application.DroneScheduler, $"/api/dronedeliveries/{request.DeliveryId}", all),
                (application.Delivery, $"/api/deliveries/{request.DeliveryId}", all),
            }
        )
        {
            await AssertIsThereAsync(service, path, isThere);
        }
    }

    private static async Task AssertIsThereAsync(HttpClient service, string path, bool isThere)
    {
        var (expected, status) = (
            isThere ? HttpStatusCode.OK : HttpStatusCode.NotFound,
            await service.StatusAsync(path)
        );
        Assert.True(expected == status, $"{path} returned {status} instead of {expected}.");
    }
}
