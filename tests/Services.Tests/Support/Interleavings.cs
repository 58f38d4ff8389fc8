using System.Net;
using DroneDelivery.Contracts;
using DroneDelivery.Testing;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>
/// Performs random assignments, reschedules, and cancels on several replicas over time, and checks that no drone is
/// double-booked.
/// </summary>
internal sealed class Interleavings(IReadOnlyList<HttpClient> replicas, ManualTimeProvider time, string run, int seed)
{
    private const int Deliveries = 90;
    private const int Rounds = 30;
    private const int AtATime = 8;

    private readonly DateTimeOffset _start = time.GetUtcNow();
    private readonly Random _random = new(seed);
    private readonly HashSet<string> _cancelled = [];
    private readonly List<DroneAssignment> _inTheAir = [];

    public async Task NeverOverlapAsync()
    {
        for (var round = 0; round < Rounds; round++)
        {
            var steps = Enumerable.Range(0, AtATime).Select(_ => NextStep()).ToList();
            foreach (var response in await Task.WhenAll(steps.Select(step => step())))
            {
                Assert.True(
                    response.StatusCode < HttpStatusCode.InternalServerError,
                    $"Status {response.StatusCode} with seed {seed}."
                );
            }

            await RecordCanceledAsync();
            time.Advance(TimeSpan.FromMinutes(_random.Next(6)));
        }
        var assignments = await Task.WhenAll(Enumerable.Range(0, Deliveries).Select(FindAsync));
        var flights = assignments.OfType<DroneAssignment>().Where(assignment => !assignment.Cancelled).ToList();
        Assert.True(flights.Count > Deliveries / 3);
        AssertNoOverlap([.. flights, .. _inTheAir], seed);
    }

    public static void AssertNoOverlap(IEnumerable<DroneAssignment> assignments, int seed = 0)
    {
        foreach (
            var drone in assignments.GroupBy(assignment => assignment.DroneId, assignment => assignment.FlightPlan)
        )
        {
            var inOrder = drone.OrderBy(flight => flight.TakeOff).ToList();
            foreach (var (earlier, later) in inOrder.Zip(inOrder.Skip(1)))
                Assert.True(earlier.Landing <= later.TakeOff, $"{drone.Key}: {earlier} overlaps {later}, seed {seed}.");
        }
    }

    private Func<Task<HttpResponseMessage>> NextStep()
    {
        var (number, what, http) = (_random.Next(Deliveries), _random.Next(10), replicas[_random.Next(replicas.Count)]);
        var reschedule = new DroneReschedule
        {
            Pickup = _random.Next(3) == 0 ? RandomLocation() : null,
            Dropoff = _random.Next(2) == 0 ? RandomLocation() : null,
            PickupTime = _random.Next(3) == 0 ? RandomTime() : null,
        };
        return what switch
        {
            < 6 => () => http.PutAsync(PathOf(number), RequestOf(number)),
            < 9 => () => http.PatchAsync(PathOf(number), reschedule),
            _ => () => http.SendAsync(HttpMethod.Delete, PathOf(number)),
        };
    }

    /// <summary>Only twenty drones can carry the package, so all are soon assigned.</summary>
    private DroneRequest RequestOf(int number) =>
        Flights.Sample with
        {
            PackageWeight = 30,
            PickupTime = _start.AddMinutes(number % 60),
            Dropoff = Flights.Sample.Dropoff with { Latitude = 47.7 + number % 7 * 0.05 },
        };

    private Location RandomLocation() =>
        new() { Latitude = 47.5 + _random.NextDouble() * 0.4, Longitude = -122.4 + _random.NextDouble() * 0.4 };

    private DateTimeOffset RandomTime() => _start.AddMinutes(_random.Next(180));

    /// <summary>
    /// Records drones that were in the air when their delivery was canceled, and thus occupied until then.
    /// </summary>
    private async Task RecordCanceledAsync()
    {
        foreach (
            var assignment in (
                await Task.WhenAll(Enumerable.Range(0, Deliveries).Select(FindAsync))
            ).OfType<DroneAssignment>()
        )
        {
            if (
                assignment.Cancelled
                && _cancelled.Add(assignment.DeliveryId)
                && assignment.FlightPlan.TakeOff < time.GetUtcNow()
            )
            {
                var plan = assignment.FlightPlan;
                _inTheAir.Add(
                    assignment with
                    {
                        FlightPlan = plan with { Landing = Earlier(plan.Landing, time.GetUtcNow()) },
                    }
                );
            }
        }
    }

    private async Task<DroneAssignment?> FindAsync(int number)
    {
        using var response = await replicas[0].SendAsync(HttpMethod.Get, PathOf(number));
        return response.StatusCode == HttpStatusCode.NotFound ? null : await response.ReadAsync<DroneAssignment>();
    }

    private string PathOf(int number) => $"/api/dronedeliveries/{run}-{number}";

    private static DateTimeOffset Earlier(DateTimeOffset one, DateTimeOffset other) => one < other ? one : other;
}
