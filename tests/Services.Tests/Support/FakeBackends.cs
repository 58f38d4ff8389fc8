using System.Collections.Concurrent;
using DroneDelivery.Contracts;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>Package, DroneScheduler, and Delivery in one web server that fails or waits on demand.</summary>
internal sealed class FakeBackends : FakeServer
{
    private readonly ConcurrentQueue<Call> _calls = new();

    private FakeBackends()
        : base(
            LocalServer.Build(builder =>
                builder
                    .Services.AddProblemDetails()
                    .ConfigureHttpJsonOptions(json => ContractJson.Configure(json.SerializerOptions))
            )
        )
    {
        App.UseStatusCodePages();
        App.Use(ObserveAsync);
        Map(App);
    }

    /// <summary>Overrides the response of the fake: a status, or <c>null</c> to continue. May wait.</summary>
    public Func<Call, Task<int?>> Interfere { get; set; } = _ => Task.FromResult<int?>(null);

    public void Answer(Func<Call, int?> status) => Interfere = call => Task.FromResult(status(call));

    public TaskCompletionSource Hold()
    {
        var mayAnswer = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Interfere = async _ =>
        {
            await mayAnswer.Task;
            return null;
        };
        return mayAnswer;
    }

    public IReadOnlyCollection<Call> Calls => _calls;

    public ConcurrentDictionary<string, DroneAssignment> Drones { get; } = new();

    public ConcurrentDictionary<string, DeliveryUpsert> Deliveries { get; } = new();

    public string? ProblemType { get; set; }

    public bool AnswersWithPages { get; set; }

    public ConcurrentDictionary<string, FailedDelivery> Failures { get; } = new();

    public ConcurrentDictionary<string, DeliveryReschedule> Reschedules { get; } = new();

    public ConcurrentDictionary<string, bool> CancelledDeliveries { get; } = new();

    /// <summary>Statuses that override the computed ones.</summary>
    public ConcurrentDictionary<string, DeliveryStatus> Statuses { get; } = new();

    public Dictionary<string, string?> Settings =>
        new()
        {
            ["services:package:http:0"] = Address,
            ["services:dronescheduler:http:0"] = Address,
            ["services:delivery:http:0"] = Address,
        };

    public static Task<FakeBackends> StartAsync() => StartAsync(new FakeBackends());

    private Task ObserveAsync(HttpContext context, RequestDelegate next) =>
        CountAsync(async () =>
        {
            var call = new Call(
                context.Request.Method,
                context.Request.Path.Value!,
                TimeProvider.System.GetTimestamp()
            );
            _calls.Enqueue(call);
            if (await Interfere(call) is not { } status)
            {
                await next(context);
            }
            else if (AnswersWithPages)
            {
                await Results.Text("<h1>Nobody knows.</h1>", "text/html", statusCode: status).ExecuteAsync(context);
            }
            else
            {
                await Results
                    .Problem($"Requested by the test: {status}.", statusCode: status, type: ProblemType)
                    .ExecuteAsync(context);
            }
        });

    private void Map(IEndpointRouteBuilder app)
    {
        app.MapPut("/api/packages/{id}", (string id, PackageUpsert package) => new PackageDetails
            {
                Id = id,
                OwnerId = package.OwnerId,
                Size = package.Size,
                Weight = package.Weight,
                Tag = package.Tag,
            });
        app.MapPut("/api/dronedeliveries/{id}", (string id, DroneRequest request) =>
            Drones.GetOrAdd(id, _ => Assign(id, request))
        );
        app.MapGet("/api/dronedeliveries/{id}", (string id) =>
            Drones.TryGetValue(id, out var drone) ? Results.Ok(drone) : Results.NotFound()
        );
        app.MapPatch("/api/dronedeliveries/{id}", (string id, DroneReschedule changes) =>
            Drones.TryGetValue(id, out var drone)
                ? Results.Ok(Drones[id] = Reschedule(drone, changes))
                : Results.NotFound()
        );
        app.MapDelete("/api/dronedeliveries/{id}", (string id) =>
        {
            if (!Drones.TryGetValue(id, out var drone))
                return Results.NotFound();
            Drones[id] = drone with { Cancelled = true };
            return Results.NoContent();
        });
        app.MapDelete("/api/packages/{id}/requests/{request}", () => Results.NoContent());
        app.MapDelete("/api/dronedeliveries/{id}/requests/{request}", () => Results.NoContent());
        app.MapPut("/api/deliveries/{id}/failure", (string id, FailedDelivery failed) =>
        {
            Failures.TryAdd(id, failed);
            return Results.NoContent();
        });
        app.MapPut("/api/deliveries/{id}", (string id, DeliveryUpsert delivery) =>
        {
            Deliveries.TryAdd(id, delivery);
            return Results.NoContent();
        });
        app.MapPatch("/api/deliveries/{id}", (string id, DeliveryReschedule changes) =>
        {
            if (!Deliveries.ContainsKey(id))
                return Results.NotFound();
            Reschedules[id] = changes;
            return Results.NoContent();
        });
        app.MapDelete("/api/deliveries/{id}", (string id) =>
            Deliveries.ContainsKey(id) && (CancelledDeliveries[id] = true) ? Results.NoContent() : Results.NotFound()
        );
        app.MapGet("/api/deliveries/{id}", (string id) =>
            Deliveries.TryGetValue(id, out var delivery)
                ? Results.Ok(new DeliveryDetails(id, delivery))
                : Results.NotFound()
        );
        app.MapGet("/api/deliveries/{id}/status", (string id) => Statuses.TryGetValue(id, out var status)
                ? Results.Ok(status)
            : Deliveries.TryGetValue(id, out var delivery)
                ? Results.Ok(StatusOf(id, delivery, CancelledDeliveries.ContainsKey(id)))
            : Results.NotFound());
    }

    private static DroneAssignment Assign(string id, DroneRequest request) =>
        new()
        {
            DeliveryId = id,
            DroneId = $"drone-of-{id}",
            OwnerId = request.OwnerId,
            Expedited = request.Expedited,
            PackageSize = request.PackageSize,
            PackageWeight = request.PackageWeight,
            Cancelled = false,
            PickupTime = request.PickupTime,
            FlightPlan = Support.Deliveries.Sample.FlightPlan with
            {
                Pickup = request.Pickup,
                Dropoff = request.Dropoff,
            },
        };

    private static DroneAssignment Reschedule(DroneAssignment drone, DroneReschedule changes) =>
        drone with
        {
            PickupTime = changes.PickupTime ?? drone.PickupTime,
            FlightPlan = drone.FlightPlan with
            {
                Pickup = changes.Pickup ?? drone.FlightPlan.Pickup,
                Dropoff = changes.Dropoff ?? drone.FlightPlan.Dropoff,
            },
            Revision = drone.Revision + 1,
            Accepted = changes.AcceptedAt is { } at ? new() { PickupTime = at } : drone.Accepted,
        };

    private static DeliveryStatus StatusOf(string id, DeliveryUpsert delivery, bool cancelled) =>
        new()
        {
            DeliveryId = id,
            AcceptedAt = delivery.AcceptedAt,
            Stage = cancelled ? DeliveryStage.Cancelled : DeliveryStage.Created,
            Events = [],
        };

    /// <param name="Arrived">A timestamp of <see cref="TimeProvider.System"/>.</param>
    public sealed record Call(string Method, string Path, long Arrived);
}
