namespace DroneDelivery.Database.Migrations;

/// <summary>The tables don't match this version of the service. The message tells an operator what to do.</summary>
internal sealed class MigrationException(string message, Exception? inner = null) : Exception(message, inner);
