using DroneDelivery.Lab;

namespace DroneDelivery.Articles;

/// <summary>A program is not installed that only some variants need.</summary>
internal sealed class MissingProgramException(string message) : LabException(message);
