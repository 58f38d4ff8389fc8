using System.Net;
using DroneDelivery.Contracts;

namespace DroneDelivery.Services.Tests.DeliveryJourney;

public sealed class OneRequestTests
{
    [Fact]
    public async Task Request_reaches_every_store_and_its_cancel_frees_the_drone()
    {
        await using var application = await ApplicationUnderTest.StartAsync();
        var request = SampleRequests.Delivery("order-1");

        var location = await application.RequestAsync(request);
        var status = await application.FollowAsync(location);
        Assert.Equal(("order-1", DeliveryStage.Created), (status.DeliveryId, status.Stage));

        var package = await application.Package.GetAsync<PackageDetails>("/api/packages/package-order-1");
        Assert.Equal(
            new PackageDetails
            {
                Id = "package-order-1",
                OwnerId = "owner-1",
                Size = PackageSize.Medium,
                Weight = 2.5,
                Tag = "books",
            },
            package
        );

        var drone = await application.DroneScheduler.GetAsync<DroneAssignment>("/api/dronedeliveries/order-1");
        Assert.Equal(
            (request.OwnerId, request.PickupTime, true, PackageSize.Medium, 2.5, false),
            (drone.OwnerId, drone.PickupTime, drone.Expedited, drone.PackageSize, drone.PackageWeight, drone.Cancelled)
        );
        Assert.Equal(
            (request.PickupLocation, request.DropOffLocation),
            (drone.FlightPlan.Pickup, drone.FlightPlan.Dropoff)
        );

        var delivery = await application.Delivery.GetAsync<DeliveryDetails>("/api/deliveries/order-1");
        Assert.Equal(
            new DeliveryDetails
            {
                Id = "order-1",
                OwnerId = request.OwnerId,
                Pickup = request.PickupLocation,
                Dropoff = request.DropOffLocation,
                PickupTime = request.PickupTime,
                Deadline = request.Deadline,
                Expedited = true,
                ConfirmationRequired = ConfirmationType.Picture,
                Instructions = "Land behind the house.",
                PackageId = "package-order-1",
                DroneId = drone.DroneId,
                FlightPlan = drone.FlightPlan,
            },
            delivery
        );
        Assert.Contains(
            "package-order-1",
            await application.RedisAsync("GET delivery:order-1"),
            StringComparison.Ordinal
        );

        using var cancel = await application.Ingestion.SendAsync(HttpMethod.Delete, "/api/deliveryrequests/order-1");
        Assert.Equal(HttpStatusCode.Accepted, cancel.StatusCode);
        await application.FollowAsync(location, status => status.Stage == DeliveryStage.Cancelled);
        await application.QuietAsync();
        Assert.Equal(0, await application.BookedFlightsAsync());
    }

    [Fact]
    public async Task Reschedule_updates_every_store_unless_it_misses_the_deadline()
    {
        await using var application = await ApplicationUnderTest.StartAsync();
        var request = SampleRequests.Delivery("order-1");
        var location = await application.RequestAsync(request);
        await application.FollowAsync(location);
        var place = new Location { Latitude = 47.65, Longitude = -122.2 };

        using var patch = await application.Ingestion.PatchAsync(
            "/api/deliveryrequests/order-1",
            new RescheduleRequest { DropOffLocation = place }
        );
        Assert.Equal(HttpStatusCode.Accepted, patch.StatusCode);
        await application.FollowAsync(location, status =>
            status.Events.Any(happened => happened.Stage == DeliveryStage.Rescheduled)
        );
        await application.RequestAsync(request);
        await Eventually.TrueAsync(() => application.Queue.Counts.Completed == 3);
        Assert.Equal(0, application.Queue.Counts.DeadLettered);
        using var late = await application.Ingestion.PatchAsync(
            "/api/deliveryrequests/order-1",
            new RescheduleRequest { PickupTime = request.Deadline!.Value.AddHours(1) }
        );

        var failed = await application.Queue.TakeFailedAsync();
        Assert.Contains(
            "returned 400",
            (string)failed.ApplicationProperties["deadLetterDescription"],
            StringComparison.Ordinal
        );
        var delivery = await application.Delivery.GetAsync<DeliveryDetails>("/api/deliveries/order-1");
        var drone = await application.DroneScheduler.GetAsync<DroneAssignment>("/api/dronedeliveries/order-1");
        Assert.Equal(
            (request.PickupTime, request.Deadline, place),
            (delivery.PickupTime, delivery.Deadline, delivery.Dropoff)
        );
        Assert.Equal(
            (drone.PickupTime, drone.DroneId, drone.FlightPlan),
            (delivery.PickupTime, delivery.DroneId, delivery.FlightPlan)
        );
        Assert.Equal(place, drone.FlightPlan.Dropoff);
        Assert.Equal(failed.ApplicationProperties["acceptedAt"], drone.Accepted!.PickupTime!.Value.ToString("O"));
    }

    [Fact]
    public async Task Failed_request_succeeds_when_resent_after_the_cause_is_fixed()
    {
        await using var application = await ApplicationUnderTest.StartAsync();
        var request = SampleRequests.Delivery("order-1");
        var taken = new PackageUpsert
        {
            OwnerId = "owner-2",
            Size = PackageSize.Small,
            Weight = 1,
        };
        await application.Package.PutAsync("/api/packages/package-order-1", taken);
        var location = await application.RequestAsync(request);
        var status = await application.FollowAsync(location);
        Assert.Equal("urn:drone-delivery:package-of-another-owner", status.Failure!.Reason);
        await application.Package.SendAsync(HttpMethod.Delete, "/api/packages/package-order-1");

        await application.Queue.SendAsync(QueueMessages.Again(await application.Queue.TakeFailedAsync(), attempt: 1));

        status = await application.FollowAsync(location, status => status.Stage == DeliveryStage.Created);
        Assert.Null(status.Failure);
        Assert.Equal((1, 0), (await application.BookedFlightsAsync(), application.Queue.Failed));
    }
}
