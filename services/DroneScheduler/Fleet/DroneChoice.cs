using System.Buffers.Binary;
using System.Security.Cryptography;
using System.Text;

namespace DroneDelivery.DroneScheduler.Fleet;

/// <summary>Which drone flies a delivery: a pure function of the delivery's id, its load and the fleet, so every replica says the same.</summary>
internal static class DroneChoice
{
    /// <returns>
    /// One of the weakest drones that can do it (the strong ones stay free for what only they can do), spread evenly over delivery
    /// ids; null when none can.
    /// </returns>
    public static Drone? For(string deliveryId, double weightKg, double distanceKm, IReadOnlyList<Drone> fleet)
    {
        var able = fleet.Where(drone => CanFly(drone, weightKg, distanceKm)).ToList();
        if (able.Count == 0)
            return null;
        var weakest = able.Min(drone => drone.CapacityKg);
        var candidates = able.FindAll(drone => drone.CapacityKg == weakest);
        return candidates[(int)(Hash(deliveryId) % (uint)candidates.Count)];
    }

    public static bool CanFly(Drone drone, double weightKg, double distanceKm) =>
        drone.CapacityKg >= weightKg && drone.RangeKm >= distanceKm;

    // string.GetHashCode differs between processes.
    private static uint Hash(string text) => BinaryPrimitives.ReadUInt32LittleEndian(SHA256.HashData(Encoding.UTF8.GetBytes(text)));
}
